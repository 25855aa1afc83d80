import type { DiscoverAccepted, DiscoverInput, DiscoverResult } from '@/domain/ipam/discovery';
import type { RunTrigger, SyncRun } from '@/domain/sync';
import { type Actor, type Origin, type Scope, systemScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { listSyncableClusterIds } from '../../inventory/queries/clusters';
import { awaitSyncRun } from '../../inventory/reads';
import { type RequestedRun, requestRunIn, scheduleRuns, startRun } from '../../inventory/request-run';
import { ipamDiscover } from '../../jobs/definitions';
import { AppError } from '../../lib/errors';
import type { Waiting } from '../../lib/poll-until';

const DISCOVERY: RequestedRun = {
  kind: 'ipam',
  what: 'discovery',
  again: 'Then start the discovery again.',
  job: ipamDiscover,
  actions: { requested: 'ipam.discovery_requested', failed: 'ipam.discovery_failed' },
  schedule: 'ipam',
  scope: systemScope('ipam:discover', 'discovery schedule'),
};

/**
 * Notes inside the caller's transaction that a cluster is to be looked through; a run that waits or runs already will do.
 * The caller hands the job to the queue after the commit (`startDiscovery`).
 * @throws AppError `not_found`, `refused` without a token
 */
export const requestDiscoveryIn = (
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  clusterId: string,
  trigger: RunTrigger,
) => requestRunIn(tx, scope, DISCOVERY, clusterId, trigger);

/** Hands the cluster's waiting discovery to the queue. */
export const startDiscovery = (clusterId: string): Promise<void> => startRun(DISCOVERY, clusterId);

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
    throw new AppError('refused', 'There is no cluster to discover. Add a cluster with an API token first.', {
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
 * The results of an accepted discovery, by cluster; null when some clusters have not finished in time.
 * @throws AppError `not_found` when a cluster is deleted in between
 */
export async function awaitDiscovery(
  _scope: Scope<'ipam:discover'>,
  { runs, refused }: DiscoverAccepted,
  waiting: Waiting = {},
): Promise<DiscoverResult | null> {
  // Anyone who may start a discovery may see its results.
  const scope = systemScope('cluster:sync', 'waiting for a discovery');
  const ended = await Promise.all(runs.map(({ run_id }) => awaitSyncRun(scope, run_id, waiting)));
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

/** Called every minute: recovers discoveries that lost their worker or their job, and starts those that are due. */
export const scheduleDiscovery = (): Promise<void> => scheduleRuns(DISCOVERY);
