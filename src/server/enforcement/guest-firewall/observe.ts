import { db } from '../../db/client';
import { clusterAccess } from '../../inventory/cluster-access';
import { findClusterRow } from '../../inventory/queries/clusters';
import { firewallObserve } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { clock } from '../../lib/clock';
import { recordDrift } from '../drift/record-drift';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { listClustersToObserve } from '../queries/firewall-snapshots';
import { readLive } from './live-reader';

/** A guest takes several calls side by side; more than one at a time would fill the queue that pages and deployments wait in. */
const CONCURRENCY = 1;

/**
 * Reads the live state of a cluster's guests, so that pages can show the deployment status of policies without
 * contacting the cluster, and stores what differs from what was applied. Guests of every kind but templates: managed rules may be anywhere, for example after
 * cloning.
 */
export async function observeCluster(clusterId: string, signal: AbortSignal): Promise<void> {
  const row = await findClusterRow(db, clusterId);
  if (!row || row.api_token_encrypted === null) return;
  const before = await readFirewallState();
  const guests = [...before.inputs.workloads.values()].filter(
    (workload) => workload.cluster_id === clusterId && !workload.template,
  );
  // After a deployment this may directly follow a read of the earlier state, which must not be used as the new one.
  await readLive(clusterId, guests, { concurrency: CONCURRENCY, signal, fresh: true });
  const [ownUser = null] = clusterAccess(row).api_token.split('=');
  await recordDrift(clusterId, before, await readFirewallState(), ownUser);
}

/** Maximum age of snapshots. Reading a thousand guests takes about a minute. */
export const OBSERVE_EVERY_MS = 5 * 60_000;

/** Has the clusters read whose snapshots have become too old. */
export async function scheduleObservations(): Promise<void> {
  const now = clock.now();
  const before = new Date(now.getTime() - OBSERVE_EVERY_MS).toISOString();
  for (const cluster_id of await listClustersToObserve(db, before, now.toISOString()))
    await enqueue(firewallObserve, { cluster_id });
}
