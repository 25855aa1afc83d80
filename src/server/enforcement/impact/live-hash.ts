import { objectCache } from '../../lib/cache';
import type { FirewallChange } from '../policies/planned-change';
import { sha256, stateHash } from './hashes';
import type { PlannedImpact } from './plan-impact';

const prints = objectCache<object, string>({ name: 'impact_readings' });
const hashCachedState = (state: object | null | undefined) =>
  state ? prints.load(state, null, () => stateHash(state)) : null;

/** Hash of what was last read of some workloads: their rules, their place and their addresses. */
export function snapshotsHash({ inputs, snapshots }: FirewallChange['before'], ids: readonly string[]): string {
  return sha256(
    [...new Set(ids)].sort().map((id) => {
      const workload = inputs.workloads.get(id);
      const cluster = workload && snapshots.clusters.get(workload.cluster_id)?.state;
      return [
        id,
        hashCachedState(snapshots.guests.get(id)?.state),
        hashCachedState(cluster),
        workload && [workload.node_name, workload.nftables, workload.tenant_id, workload.project_id],
        workload && [...workload.addresses].sort(),
      ];
    }),
  );
}

/** Hash of what was last read of everything that the change concerns, and of what the change leaves there. */
export function liveHash({ found, workload_ids }: PlannedImpact): string {
  const after = workload_ids.filter((id) => found.changed.has(id)).sort();
  return sha256([
    snapshotsHash(found.before, workload_ids),
    after.map((id) => [id, hashCachedState(found.after.snapshots.guests.get(id)?.state)]),
    [...found.unreadable].sort(),
  ]);
}
