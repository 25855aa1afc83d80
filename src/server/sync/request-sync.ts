import type { RunTrigger } from '@/domain/sync';
import { recordAudit } from '../audit/record';
import type { Actor, Origin, Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { lockClusterRow, updateCluster } from '../inventory/queries/clusters';
import { findActiveRunId, insertSyncRun } from '../inventory/queries/sync-runs';
import { clusterSync } from '../jobs/definitions';
import { enqueue } from '../jobs/enqueue';
import { AppError } from '../lib/errors';
import { logger } from '../lib/logger';
import { notFound } from '../lib/refusals';

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
