import type { AutoSyncTimes } from '@/domain/settings';
import type { Scope } from '../auth/scope';
import { db, type Executor } from '../db/client';
import { clock } from '../lib/clock';
import { findSetting, mergeSetting } from './queries/settings';
import { AUTO_SYNC_KEY, ScheduleTimes } from './stored-settings';

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
