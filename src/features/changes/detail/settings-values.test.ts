import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, ChangeUpdate } from '@/domain/change/change';
import { ON_FAILURE } from '@/domain/change/waves';
import { english } from '@/lib/i18n/translator';
import { listDifferences } from '../../shared/version-conflict';
import {
  describeSettings,
  type SettingsValues,
  settingsFieldName,
  settingsLabels,
  toSettingsUpdate,
  toSettingsValues,
} from './settings-values';

const settings = {
  title: 'Allow monitoring',
  description: '',
  confirm_within_seconds: 600,
  waves: { canaries: { by: 'count', count: 3 }, pause_seconds: 300 },
  on_failure: 'stop',
  rollback_on_failed_check: true,
  log_new_rules: 'warning',
  scheduled_at: '2026-11-27T22:00:00.000Z',
  within_maintenance: true,
};

const seconds = fc.integer({ min: 0, max: 24 * 3600 });
const stored = fc.record({
  title: fc.constantFrom('Allow monitoring', 'Allow backups'),
  description: fc.constantFrom('', 'For the audit'),
  confirm_within_seconds: seconds,
  waves: fc.record({
    canaries: fc.oneof(
      fc.constant(null),
      fc.record({ by: fc.constant('count'), count: fc.integer({ min: 1, max: 200 }) }),
      fc.record({ by: fc.constant('tag'), tag: fc.constantFrom('canary', 'test') }),
      fc.record({ by: fc.constant('workloads'), workload_ids: fc.array(fc.uuid(), { minLength: 1, maxLength: 3 }) }),
    ),
    pause_seconds: fc.option(seconds),
  }),
  on_failure: fc.constantFrom(...ON_FAILURE),
  rollback_on_failed_check: fc.boolean(),
  log_new_rules: fc.constantFrom(null, 'info', 'warning'),
  // Also the hour in which clocks are set back.
  scheduled_at: fc.option(
    fc
      .integer({ min: Date.parse('2026-10-24T00:00:00Z') / 1000, max: Date.parse('2026-10-26T00:00:00Z') / 1000 })
      .map((at) => new Date(at * 1000).toISOString()),
  ),
  within_maintenance: fc.boolean(),
});
type Stored = typeof stored extends fc.Arbitrary<infer T> ? T : never;
const read = (change: Stored | typeof settings) => toSettingsValues(change as unknown as Change);

test('settings that are not edited are sent as they were read', () => {
  fc.assert(
    fc.property(stored, (change) => {
      const sent = ChangeUpdate.parse(toSettingsUpdate(read(change), { version: 4 }));
      expect(sent).toEqual({ ...change, version: 4 });
    }),
  );
});

test('an edit of the minutes is sent as seconds, and 0 only where 0 is shown', () => {
  fc.assert(
    fc.property(stored, fc.nat(1440), (change, minutes) => {
      const values = read(change);
      expect(values.confirm_minutes === 0).toBe(change.confirm_within_seconds === 0);
      fc.pre(minutes !== values.confirm_minutes);
      const { confirm_within_seconds: sent } = toSettingsUpdate(
        { ...values, confirm_minutes: minutes },
        { version: 1 },
      );
      expect(sent).toBe(minutes * 60);
    }),
  );
});

test('two versions that differ have a row for it', () => {
  const words = (change: Stored) => describeSettings(english, read(change));
  fc.assert(
    fc.property(
      stored,
      stored,
      fc.constantFrom(...(Object.keys(settings) as (keyof Stored)[])),
      (mine, other, field) => {
        const theirs = { ...mine, [field]: other[field] };
        const rows = listDifferences(english, settingsLabels(english), words(mine), words(theirs));
        expect(rows.length === 0).toBe(JSON.stringify(mine) === JSON.stringify(theirs));
      },
    ),
  );
});

test('messages appear at the fields in which the values were entered', () => {
  const values: SettingsValues = {
    ...read(settings),
    title: '',
    confirm_minutes: null,
    count: null,
    pause_minutes: null,
    scheduled_at: 'tomorrow',
  };
  const { error } = ChangeUpdate.safeParse(toSettingsUpdate(values, { version: 1 }));
  const fields = error?.issues.map(({ path }) => settingsFieldName(path.join('.')));
  expect(new Set(fields)).toEqual(new Set(['title', 'confirm_minutes', 'count', 'pause_minutes', 'scheduled_at']));
});
