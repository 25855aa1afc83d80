import { type ClusterChanges, concernsGuest, EVERYWHERE, findClusterChanges } from '@/domain/firewall/cluster-changes';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { objectCache } from '../../../lib/cache';
import type { InputWorkload } from '../../queries/policy-inputs';
import type { Snapshots } from './firewall-state';

/** Former snapshots of a cluster with which one is compared; what was prepared with others is prepared again. */
const MOST_COMPARED = 16;

const compared = objectCache<ClusterSnapshot, { count: number; changes: WeakMap<ClusterSnapshot, ClusterChanges> }>({
  name: 'cluster_changes',
});

/** What differs between two snapshots of a cluster; compared once for all of its guests. */
function loadChanges(before: ClusterSnapshot, now: ClusterSnapshot): ClusterChanges {
  const known = compared.load(now, null, () => ({ count: 0, changes: new WeakMap() }));
  const found = known.changes.get(before);
  if (found) return found;
  known.count += 1;
  const changes = known.count > MOST_COMPARED ? EVERYWHERE : findClusterChanges(before, now);
  known.changes.set(before, changes);
  return changes;
}

/** Whether no guest is concerned by what differs between two snapshots of each cluster, but for those whose rules or sets refer to it. */
export const haveSameShared = (before: Snapshots['clusters'], now: Snapshots['clusters']): boolean =>
  before.size === now.size &&
  [...now].every(([id, { state }]) => {
    const old = before.get(id)?.state;
    if (old === state) return true;
    const changes = old && loadChanges(old, state);
    return changes !== undefined && !changes.everywhere && changes.nodes.size === 0;
  });

const NEVER_READ = { rules: null, ipsets: null };

/** Whether a packet of a guest may depend on what differs between two snapshots of its cluster. @param guest null: it was never read */
export function isConcerned(
  before: ClusterSnapshot,
  now: ClusterSnapshot,
  guest: GuestSnapshot | null,
  { node_name }: Pick<InputWorkload, 'node_name'>,
): boolean {
  return before !== now && concernsGuest(loadChanges(before, now), guest ?? NEVER_READ, node_name);
}

type Met = { asked: ClusterSnapshot; node: string | null; cluster: ClusterSnapshot };

const met = objectCache<GuestSnapshot, Met>({ name: 'met_clusters' });

/**
 * The cluster of a workload as last read, or a former snapshot of it on which the workload's packets depend in the same way. It is the same
 * object as before unless what the workload meets changed, so what was made from it need not be made again.
 */
export function findMetCluster({ guests, clusters }: Snapshots, workload: InputWorkload): ClusterSnapshot | null {
  const asked = clusters.get(workload.cluster_id)?.state ?? null;
  const guest = guests.get(workload.id)?.state;
  if (!asked || !guest) return asked;
  const node = workload.node_name;
  const known = met.load(guest, null, () => ({ asked, node, cluster: asked }));
  if (known.asked !== asked || known.node !== node) {
    if (isConcerned(known.cluster, asked, guest, workload)) known.cluster = asked;
    Object.assign(known, { asked, node });
  }
  return known.cluster;
}
