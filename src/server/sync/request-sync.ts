import type { RunTrigger } from '@/domain/sync';
import { recordAudit } from '../audit/record';
import { type Actor, type Origin, type Scope, systemScope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { listSyncableClusterIds, lockClusterRow, updateCluster } from '../inventory/queries/clusters';
import { findActiveRunId, insertSyncRun, type SyncRunRow, syncLeases } from '../inventory/queries/sync-runs';
import { clusterSync } from '../jobs/definitions';
import { enqueue } from '../jobs/enqueue';
import { MAX_ATTEMPTS } from '../jobs/queries/run-leases';
import { recoverRuns } from '../jobs/run-lease';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { logger } from '../lib/logger';
import { notFound } from '../lib/refusals';
import { findScheduledAt, recordSchedule, storedSettings } from '../settings/settings';

/**
 * Notes inside the caller's transaction that a cluster is to be synced; a sync that waits or runs already will do. The
 * caller hands the job to the queue after the commit (`startSync`).
 * @throws AppError `not_found`, `refused` without a token
 */
export async function requestSyncIn(
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  clusterId: string,
  trigger: RunTrigger,
): Promise<{ run_id: string; created: boolean }> {
  const cluster = await lockClusterRow(tx, clusterId);
  if (!cluster) throw notFound('cluster');
  if (cluster.api_token_encrypted === null) {
    throw new AppError('refused', `${cluster.name} has no API token. Enter one in its settings.`);
  }
  const requested_by = scope.actor.kind === 'user' ? scope.actor.id : null;
  const added = await insertSyncRun(tx, { cluster_id: clusterId, trigger, requested_by });
  if (added === null) {
    const active = await findActiveRunId(tx, clusterId);
    if (active === null) throw new Error('a run is in the way that is not active');
    return { run_id: active, created: false };
  }
  await updateCluster(tx, clusterId, { sync_status: 'queued' });
  await publishEvent(tx, { type: 'sync_run.changed', cluster_id: clusterId, run_id: added });
  await publishEvent(tx, { type: 'cluster.changed', cluster_id: clusterId });
  // What the schedule starts is recorded by its outcome; thousands of requests a year say nothing.
  if (trigger !== 'auto') {
    await recordAudit(tx, scope, {
      action: 'cluster.sync_requested',
      object_kind: 'cluster',
      object_id: clusterId,
      object_name: cluster.name,
      after: { run_id: added, trigger },
    });
  }
  return { run_id: added, created: true };
}

/**
 * Hands the cluster's waiting run to the queue. When the queue does not answer the run keeps waiting: the schedule finds
 * it within a minute.
 */
export async function startSync(clusterId: string): Promise<void> {
  try {
    await enqueue(clusterSync, { cluster_id: clusterId });
  } catch (error) {
    logger.warn({ err: error, cluster_id: clusterId }, 'the sync waits until the queue answers');
  }
}

/** Starts a sync of the cluster, or gives the run that is under way. */
export async function requestSync(scope: Scope<'cluster:sync'>, clusterId: string): Promise<{ run_id: string }> {
  const { run_id } = await db.transaction((tx) => requestSyncIn(tx, scope, clusterId, 'manual'));
  await startSync(clusterId);
  return { run_id };
}

const MINUTE_MS = 60_000;

const scope = systemScope('cluster:sync', 'sync schedule');

const WORKER_DIED = {
  stage: 'finish',
  code: 'worker_died',
  message: `The worker died ${MAX_ATTEMPTS} times during this sync.`,
  remedy: 'Look into the log of the worker; it may lack memory. Then sync again.',
};

type Orphan = Pick<SyncRunRow, 'id' | 'cluster_id' | 'trigger' | 'errors'>;

async function giveUp(run: Orphan): Promise<void> {
  await db.transaction(async (tx) => {
    const cluster = await lockClusterRow(tx, run.cluster_id);
    if (!cluster) return;
    const outcome = { errors: [...run.errors, WORKER_DIED], finished_at: clock.now().toISOString() };
    if (!(await syncLeases.fail(tx, run.id, outcome))) return;
    await updateCluster(tx, run.cluster_id, {
      sync_status: 'failed',
      last_sync_error: `${WORKER_DIED.message} ${WORKER_DIED.remedy}`,
      last_sync_error_code: WORKER_DIED.code,
    });
    await publishEvent(tx, { type: 'sync_run.changed', cluster_id: run.cluster_id, run_id: run.id });
    await publishEvent(tx, { type: 'cluster.changed', cluster_id: run.cluster_id });
    await recordAudit(tx, scope, {
      action: 'cluster.sync_failed',
      object_kind: 'cluster',
      object_id: run.cluster_id,
      object_name: cluster.name,
      after: { run_id: run.id, trigger: run.trigger, code: WORKER_DIED.code, message: WORKER_DIED.message },
    });
  });
}

/** Starts a sync of every cluster when the interval of the settings is over. */
async function startDue(): Promise<void> {
  const settings = await storedSettings(db);
  if (!settings.auto_node_sync_enabled) return;
  const last = await findScheduledAt('node');
  const interval = settings.auto_node_sync_interval_minutes * MINUTE_MS;
  if (last !== null && clock.now().getTime() - Date.parse(last) < interval) return;
  // Stored first: a cluster that makes this fail must not make it run every minute.
  await recordSchedule(scope, 'node');
  for (const clusterId of await listSyncableClusterIds(db)) {
    try {
      const { created } = await db.transaction((tx) => requestSyncIn(tx, scope, clusterId, 'auto'));
      if (created) await startSync(clusterId);
    } catch (error) {
      // Deleted meanwhile, or its token was taken away: nothing to sync.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** Called every minute: recovers syncs that lost their worker or their job, and starts those that are due. */
export async function scheduleSyncs(): Promise<void> {
  const orphans = await syncLeases.listOrphans(db, ['cluster_id', 'trigger', 'errors'], { kind: 'inventory' });
  await recoverRuns(orphans, { restart: ({ cluster_id }) => startSync(cluster_id), giveUp });
  await startDue();
}
