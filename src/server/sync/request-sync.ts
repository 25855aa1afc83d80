import type { RunTrigger } from '@/domain/sync';
import { type Actor, type Origin, type Scope, systemScope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { updateCluster } from '../inventory/queries/clusters';
import { type RequestedRun, requestRunIn, scheduleRuns, startRun } from '../inventory/request-run';
import { clusterSync } from '../jobs/definitions';

const SYNC: RequestedRun = {
  kind: 'inventory',
  what: 'sync',
  again: 'Then start the sync again.',
  job: clusterSync,
  actions: { requested: 'cluster.sync_requested', failed: 'cluster.sync_failed' },
  schedule: 'node',
  scope: systemScope('cluster:sync', 'sync schedule'),
  requested: async (tx, clusterId) => {
    await updateCluster(tx, clusterId, { sync_status: 'queued' });
    await publishEvent(tx, { type: 'cluster.changed', cluster_id: clusterId });
  },
  failed: async (tx, clusterId, { code, message, remedy }) => {
    await updateCluster(tx, clusterId, {
      sync_status: 'failed',
      last_sync_error: `${message} ${remedy}`,
      last_sync_error_code: code,
    });
    await publishEvent(tx, { type: 'cluster.changed', cluster_id: clusterId });
  },
};

/**
 * Notes inside the caller's transaction that a cluster is to be synced; a sync that waits or runs already will do. The
 * caller hands the job to the queue after the commit (`startSync`).
 * @throws AppError `not_found`, `refused` without a token
 */
export const requestSyncIn = (
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  clusterId: string,
  trigger: RunTrigger,
) => requestRunIn(tx, scope, SYNC, clusterId, trigger);

/** Hands the cluster's waiting sync to the queue. */
export const startSync = (clusterId: string): Promise<void> => startRun(SYNC, clusterId);

/** Starts a sync of the cluster, or returns the active run. */
export async function requestSync(scope: Scope<'cluster:sync'>, clusterId: string): Promise<{ run_id: string }> {
  const { run_id } = await db.transaction((tx) => requestSyncIn(tx, scope, clusterId, 'manual'));
  await startSync(clusterId);
  return { run_id };
}

/** Called every minute: recovers syncs that lost their worker or their job, and starts those that are due. */
export const scheduleSyncs = (): Promise<void> => scheduleRuns(SYNC);
