import { z } from 'zod';
import { AutoSyncTimes, DEFAULT_RUNTIME_CHOICES, RuntimeChoices, type RuntimeSettingsRead } from '@/domain/settings';
import type { Executor } from '../db/client';
import { clock } from '../lib/clock';
import { findSetting, insertSetting } from './queries/settings';

/** `system_settings.key` of what an administrator chose, and of when the schedules last ran. */
export const RUNTIME_KEY = 'runtime';
export const AUTO_SYNC_KEY = 'auto_sync';

// A row written by an older version lacks the newer fields: they are at their default, as if nobody had touched them.
const Choices = RuntimeChoices.partial().transform((stored) => ({ ...DEFAULT_RUNTIME_CHOICES, ...stored }));
const Times = AutoSyncTimes.partial().transform((stored) => ({
  last_node_auto_sync_at: null,
  last_ipam_auto_sync_at: null,
  ...stored,
}));

/** When the schedules last queued their runs, beside the times of the last successes. */
export const ScheduleTimes = z
  .object({ node_scheduled_at: z.iso.datetime(), ipam_scheduled_at: z.iso.datetime() })
  .partial()
  .transform((stored) => ({ node_scheduled_at: null, ipam_scheduled_at: null, ...stored }));
export type ScheduleTimes = z.output<typeof ScheduleTimes>;

/** The runtime settings as stored; created with their defaults when there are none yet. */
export async function storedSettings(executor: Executor): Promise<RuntimeSettingsRead> {
  let row = await findSetting(executor, RUNTIME_KEY);
  if (!row) {
    await insertSetting(executor, RUNTIME_KEY, DEFAULT_RUNTIME_CHOICES, clock.now().toISOString());
    row = await findSetting(executor, RUNTIME_KEY);
  }
  if (!row) throw new Error('the runtime settings cannot be stored');
  const times = await findSetting(executor, AUTO_SYNC_KEY);
  return {
    ...Choices.parse(row.value),
    ...Times.parse(times?.value ?? {}),
    version: row.version,
    updated_at: row.updated_at,
  };
}
