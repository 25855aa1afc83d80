import type { DiscoverAccepted, DiscoverInput } from '@/domain/ipam/discovery';
import type { RunTrigger } from '@/domain/sync';
import { recordAudit } from '../../audit/record';
import type { Actor, Origin, Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { listSyncableClusterIds, lockClusterRow } from '../../inventory/queries/clusters';
import { findActiveRunId, insertSyncRun } from '../../inventory/queries/sync-runs';
import { ipamDiscover } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { notFound } from '../../lib/refusals';

/**
 * Notes inside the caller's transaction that a cluster is to be looked through; a run that waits or runs already will do.
 * The caller hands the job to the queue after the commit (`startDiscovery`).
 * @throws AppError `not_found`, `refused` without a token
 */
export async function requestDiscoveryIn(
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
  const added = await insertSyncRun(tx, { cluster_id: clusterId, trigger, requested_by, kind: 'ipam' });
  if (added === null) {
    const active = await findActiveRunId(tx, clusterId, 'ipam');
    if (active === null) throw new Error('a run is in the way that is not active');
    return { run_id: active, created: false };
  }
  await publishEvent(tx, { type: 'sync_run.changed', cluster_id: clusterId, run_id: added });
  if (trigger !== 'auto') {
    await recordAudit(tx, scope, {
      action: 'ipam.discovery_requested',
      object_kind: 'cluster',
      object_id: clusterId,
      object_name: cluster.name,
      after: { run_id: added, trigger },
    });
  }
  return { run_id: added, created: true };
}

/** Hands the cluster's waiting run to the queue; when that does not answer the schedule finds the run within a minute. */
export async function startDiscovery(clusterId: string): Promise<void> {
  try {
    await enqueue(ipamDiscover, { cluster_id: clusterId });
  } catch (error) {
    logger.warn({ err: error, cluster_id: clusterId }, 'the discovery waits until the queue answers');
  }
}

/**
 * Starts a discovery of the clusters named, or of all that have a token.
 * @throws AppError `not_found` or `refused` when only one is named and cannot be asked, `refused` when none can
 */
export async function requestDiscovery(
  scope: Scope<'ipam:discover'>,
  { cluster_ids }: DiscoverInput,
): Promise<DiscoverAccepted> {
  const ids = [...new Set(cluster_ids ?? (await listSyncableClusterIds(db)))].sort();
  const runs: DiscoverAccepted['runs'] = [];
  const refused: DiscoverAccepted['refused'] = [];
  for (const cluster_id of ids) {
    try {
      const { run_id } = await db.transaction((tx) => requestDiscoveryIn(tx, scope, cluster_id, 'manual'));
      await startDiscovery(cluster_id);
      runs.push({ cluster_id, run_id });
    } catch (error) {
      if (!(error instanceof AppError) || ids.length === 1) throw error;
      refused.push({ cluster_id, message: error.message });
    }
  }
  const [first] = runs;
  if (!first) {
    throw new AppError('refused', 'There is no cluster to look through. Add one with an API token first.', {
      extra: { refused },
    });
  }
  return { run_id: first.run_id, runs, refused };
}
