import type { DiscoverAccepted, DiscoverResult } from '@/domain/ipam/discovery';
import type { SyncRun } from '@/domain/sync';
import { type Scope, systemScope } from '../../auth/scope';
import { awaitSyncRun, MAX_WAIT_MS } from '../../inventory/await-sync-run';

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
