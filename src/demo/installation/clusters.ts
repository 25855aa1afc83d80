import type { Simulator } from '@fabric/simulator/http-server';
import { ClusterInput, ClusterListInput } from '@/domain/cluster';
import { systemScope } from '@/server/auth/scope';
import { listClusters } from '@/server/inventory/queries/clusters';
import { createCluster, updateCluster } from '@/server/sync/clusters';
import { requestSync } from '@/server/sync/request-sync';
import { SITES } from '../inventory/company';

/**
 * Adds the simulated clusters that are missing, brings addresses and fingerprints up to date, and asks for a sync where
 * none has succeeded since. @returns the ids of the clusters and of the runs that were started
 */
export async function ensureClusters(simulator: Simulator): Promise<{ cluster_ids: string[]; run_ids: string[] }> {
  const write = systemScope('cluster:write', 'demo data');
  const { items } = await listClusters(ClusterListInput.parse({ limit: 500 }));
  const cluster_ids: string[] = [];
  const run_ids: string[] = [];
  for (const { name, cluster_name } of SITES) {
    const { nodes, tokens } = simulator.cluster(name);
    const [entry] = nodes;
    if (!entry) throw new Error(`${name} has no nodes`);
    const access = { api_url: entry.url, api_token: tokens.manager, tls_fingerprint: entry.fingerprint256 };
    const known = items.find((item) => item.name === cluster_name);
    const isCurrent = known?.api_url === access.api_url && known.tls_fingerprint === access.tls_fingerprint;
    const cluster = !known
      ? await createCluster(write, ClusterInput.parse({ name: cluster_name, ...access }))
      : isCurrent
        ? known
        : await updateCluster(write, known.id, access);
    cluster_ids.push(cluster.id);
    if (isCurrent && cluster.sync_status === 'ok') continue;
    run_ids.push((await requestSync(systemScope('cluster:sync', 'demo data'), cluster.id)).run_id);
  }
  return { cluster_ids, run_ids };
}
