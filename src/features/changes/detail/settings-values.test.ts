import { expect, test } from 'vitest';
import { type Change, ChangeUpdate } from '@/domain/change/change';
import { type SettingsValues, settingsFieldName, toSettingsUpdate, toSettingsValues } from './settings-values';

const ID = '01980000-0000-7000-8000-000000000001';
const settings = {
  title: 'Allow monitoring',
  description: '',
  confirm_within_seconds: 600,
  on_failure: 'stop',
  rollback_on_failed_check: true,
  log_new_rules: 'warning',
  scheduled_at: '2026-11-27T22:00:00.000Z',
  within_maintenance: true,
};
const WAVES = [
  { canaries: null, pause_seconds: null },
  { canaries: { by: 'count', count: 3 }, pause_seconds: 300 },
  { canaries: { by: 'tag', tag: 'canary' }, pause_seconds: 0 },
  { canaries: { by: 'workloads', workload_ids: [ID] }, pause_seconds: null },
];

test('settings that are not edited are sent as they were read', () => {
  for (const waves of WAVES) {
    const read = { ...settings, waves, version: 4 } as unknown as Change;
    const sent = ChangeUpdate.parse(toSettingsUpdate(toSettingsValues(read, 'utc'), 4, 'utc'));
    expect(sent).toEqual({ ...settings, waves, version: 4 });
  }
});

test('messages appear at the fields in which the values were entered', () => {
  const values: SettingsValues = {
    ...toSettingsValues({ ...settings, waves: WAVES[1] } as unknown as Change, 'utc'),
    title: '',
    confirm_minutes: null,
    count: null,
    pause_minutes: null,
    scheduled_at: 'tomorrow',
  };
  const { error } = ChangeUpdate.safeParse(toSettingsUpdate(values, 1, 'utc'));
  const fields = error?.issues.map(({ path }) => settingsFieldName(path.join('.')));
  expect(new Set(fields)).toEqual(new Set(['title', 'confirm_minutes', 'count', 'pause_minutes', 'scheduled_at']));
});
