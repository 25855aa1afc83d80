import { expect, test } from 'vitest';
import { DEFAULT_RUNTIME_CHOICES, type RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';
import { toSettingsUpdate, toSettingsValues } from './settings-form';

const settings: RuntimeSettingsRead = {
  ...DEFAULT_RUNTIME_CHOICES,
  last_node_auto_sync_at: '2026-11-21T02:00:00.000Z',
  last_ipam_auto_sync_at: null,
  version: 7,
  updated_at: '2026-11-21T02:00:00.000Z',
};

test('settings that were read can be saved unchanged, with their version and without read-only fields', () => {
  expect(RuntimeSettingsUpdate.parse(toSettingsUpdate(toSettingsValues(settings), settings))).toEqual({
    ...DEFAULT_RUNTIME_CHOICES,
    version: 7,
  });
});

test('an empty or wild number is refused at its field', () => {
  const values = { ...toSettingsValues(settings), flow_retention_hours: null, auto_node_sync_interval_minutes: 1 };
  const issues = RuntimeSettingsUpdate.safeParse(toSettingsUpdate(values, settings)).error?.issues ?? [];
  expect(issues.map((issue) => issue.path.join('.')).sort()).toEqual([
    'auto_node_sync_interval_minutes',
    'flow_retention_hours',
  ]);
});
