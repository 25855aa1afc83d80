import type { DiscoverAccepted, DiscoverInput, DiscoverResult } from '@/domain/ipam/discovery';
import type { RunTrigger, SyncRun } from '@/domain/sync';
import { recordAudit } from '../../audit/record';
import { type Actor, type Origin, type Scope, systemScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { listSyncableClusterIds, lockClusterRow } from '../../inventory/queries/clusters';
import { findActiveRunId, insertSyncRun, type SyncRunRow, syncLeases } from '../../inventory/queries/sync-runs';
import { awaitSyncRun, MAX_WAIT_MS } from '../../inventory/reads';
import { ipamDiscover } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { MAX_ATTEMPTS } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { notFound } from '../../lib/refusals';
import { findScheduledAt, recordSchedule, storedSettings } from '../../settings/settings';

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

type ClusterResult = DiscoverResult['clusters'][number];

/** What a run did, as the answer of a discovery tells it. */
export function discoveryResult(run: SyncRun): ClusterResult {
  const { addresses, conflicts } = run.counters;
  return {
    cluster_id: run.cluster_id,
    cluster_name: run.cluster_name,
    run_id: run.id,
    status: run.status,
    created: addresses?.created ?? 0,
    updated: addresses?.changed ?? 0,
    removed: addresses?.removed ?? 0,
    ignored: addresses?.skipped ?? 0,
    conflicts: conflicts?.seen ?? 0,
    errors: run.errors.map(({ stage: _, ...error }) => error),
  };
}

/**
 * What came of an accepted discovery, cluster by cluster; null when some of them have not ended in time.
 * @throws AppError `not_found` when a cluster is deleted meanwhile
 */
export async function awaitDiscovery(
  _scope: Scope<'ipam:discover'>,
  { runs, refused }: DiscoverAccepted,
  { signal, timeoutMs = MAX_WAIT_MS }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<DiscoverResult | null> {
  // Whoever may start a discovery may see what came of it.
  const scope = systemScope('cluster:sync', 'waiting for a discovery');
  const options = { timeoutMs, ...(signal && { signal }) };
  const ended = await Promise.all(runs.map(({ run_id }) => awaitSyncRun(scope, run_id, options)));
  if (ended.some((run) => run.finished_at === null)) return null;
  return {
    clusters: [
      ...ended.map(discoveryResult),
      ...refused.map(
        ({ cluster_id, message }): ClusterResult => ({
          cluster_id,
          cluster_name: '',
          run_id: null,
          status: 'refused',
          created: 0,
          updated: 0,
          removed: 0,
          ignored: 0,
          conflicts: 0,
          errors: [{ code: 'refused', message }],
        }),
      ),
    ],
  };
}

const MINUTE_MS = 60_000;

const scope = systemScope('ipam:discover', 'discovery schedule');

const WORKER_DIED = {
  stage: 'finish',
  code: 'worker_died',
  message: `The worker died ${MAX_ATTEMPTS} times during this discovery.`,
  remedy: 'Look into the log of the worker; it may lack memory. Then discover again.',
};

type Orphan = Pick<SyncRunRow, 'id' | 'cluster_id' | 'trigger' | 'errors'>;

async function giveUp(run: Orphan): Promise<void> {
  await db.transaction(async (tx) => {
    const cluster = await lockClusterRow(tx, run.cluster_id);
    if (!cluster) return;
    const outcome = { errors: [...run.errors, WORKER_DIED], finished_at: clock.now().toISOString() };
    if (!(await syncLeases.fail(tx, run.id, outcome))) return;
    await publishEvent(tx, { type: 'sync_run.changed', cluster_id: run.cluster_id, run_id: run.id });
    await recordAudit(tx, scope, {
      action: 'ipam.discovery_failed',
      object_kind: 'cluster',
      object_id: run.cluster_id,
      object_name: cluster.name,
      after: { run_id: run.id, trigger: run.trigger, code: WORKER_DIED.code, message: WORKER_DIED.message },
    });
  });
}

/** Starts a discovery of every cluster when the interval of the settings is over. */
async function startDue(): Promise<void> {
  const settings = await storedSettings(db);
  if (!settings.auto_ipam_sync_enabled) return;
  const last = await findScheduledAt('ipam');
  const interval = settings.auto_ipam_sync_interval_minutes * MINUTE_MS;
  if (last !== null && clock.now().getTime() - Date.parse(last) < interval) return;
  // Stored first: a cluster that makes this fail must not make it run every minute.
  await recordSchedule(systemScope('cluster:sync', 'discovery schedule'), 'ipam');
  for (const clusterId of await listSyncableClusterIds(db)) {
    try {
      const { created } = await db.transaction((tx) => requestDiscoveryIn(tx, scope, clusterId, 'auto'));
      if (created) await startDiscovery(clusterId);
    } catch (error) {
      // Deleted meanwhile, or its token was taken away: nothing to look through.
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/** Called every minute: recovers discoveries that lost their worker or their job, and starts those that are due. */
export async function scheduleDiscovery(): Promise<void> {
  const orphans = await syncLeases.listOrphans(db, ['cluster_id', 'trigger', 'errors'], { kind: 'ipam' });
  await recoverRuns(orphans, { restart: ({ cluster_id }) => startDiscovery(cluster_id), giveUp });
  await startDue();
}
