import { z } from 'zod';
import {
  AutoSyncTimes,
  DEFAULT_RUNTIME_CHOICES,
  RuntimeChoices,
  type RuntimeSettingsRead,
  type RuntimeSettingsUpdate,
} from '@/domain/settings';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Executor } from '../db/client';
import { clock } from '../lib/clock';
import { assertVersion } from '../lib/refusals';
import { findSetting, findSettings, insertSetting, lockSetting, mergeSetting, updateSetting } from './queries/settings';

/** `system_settings.key` of what an administrator chose, and of when the schedules last ran. */
export const RUNTIME_KEY = 'runtime';
export const AUTO_SYNC_KEY = 'auto_sync';

// A row written by an older version lacks the newer fields: they get their default, as if never changed.
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

/** The runtime settings as stored; created with their defaults when there are none yet. One query. */
export async function storedSettings(executor: Executor = db): Promise<RuntimeSettingsRead> {
  const read = () => findSettings(executor, [RUNTIME_KEY, AUTO_SYNC_KEY]);
  let stored = await read();
  if (!stored.has(RUNTIME_KEY)) {
    await insertSetting(executor, RUNTIME_KEY, DEFAULT_RUNTIME_CHOICES, clock.now().toISOString());
    stored = await read();
  }
  const [row, times] = [stored.get(RUNTIME_KEY), stored.get(AUTO_SYNC_KEY)];
  if (!row) throw new Error('cannot store the runtime settings');
  return {
    ...Choices.parse(row.value),
    ...Times.parse(times?.value ?? {}),
    version: row.version,
    updated_at: row.updated_at,
  };
}

/**
 * Changes runtime settings; fields that are left out stay. Nothing is written, and nothing recorded, when nothing changes.
 * @throws AppError `version_conflict` when `version` is given and no longer current
 */
export async function updateSettings(
  scope: Scope<'*'>,
  { version, ...changes }: RuntimeSettingsUpdate,
): Promise<RuntimeSettingsRead> {
  return db.transaction(async (tx) => {
    await storedSettings(tx);
    await lockSetting(tx, RUNTIME_KEY);
    const current = await storedSettings(tx);
    assertVersion('settings', current.version, version);
    const before = RuntimeChoices.parse(current);
    const after = RuntimeChoices.parse({ ...before, ...changes });
    if (JSON.stringify(before) === JSON.stringify(after)) return current;
    const at = clock.now().toISOString();
    const row = await updateSetting(tx, RUNTIME_KEY, after, at);
    await recordAudit(tx, scope, {
      action: 'settings.updated',
      object_kind: 'settings',
      object_id: RUNTIME_KEY,
      object_name: 'Runtime settings',
      before,
      after,
    });
    return { ...current, ...after, version: row.version, updated_at: row.updated_at };
  });
}

type Kind = 'node' | 'ipam';

const SCHEDULED = { node: 'node_scheduled_at', ipam: 'ipam_scheduled_at' } as const satisfies Record<
  Kind,
  keyof ScheduleTimes
>;
const SYNCED = { node: 'last_node_auto_sync_at', ipam: 'last_ipam_auto_sync_at' } as const satisfies Record<
  Kind,
  keyof AutoSyncTimes
>;

/** When the schedule last queued its runs, whatever became of them; null before the first time. */
export async function findScheduledAt(kind: Kind): Promise<string | null> {
  const row = await findSetting(db, AUTO_SYNC_KEY);
  return ScheduleTimes.parse(row?.value ?? {})[SCHEDULED[kind]];
}

/** Stores that the schedule queues its runs now. */
export async function recordSchedule(_scope: Scope<'cluster:sync'>, kind: Kind): Promise<void> {
  const at = clock.now().toISOString();
  await mergeSetting(db, AUTO_SYNC_KEY, { [SCHEDULED[kind]]: at }, at);
}

/** Stores that an automatic run has succeeded, in the transaction that ends the run. */
export async function recordAutoSync(executor: Executor, kind: Kind, at: string): Promise<void> {
  await mergeSetting(executor, AUTO_SYNC_KEY, { [SYNCED[kind]]: at }, at);
}
