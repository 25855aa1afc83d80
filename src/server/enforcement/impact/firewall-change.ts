import type { ImpactChange } from '@/domain/impact/stored-impact';
import { objectCache } from '../../lib/cache';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import {
  computeApplyChange,
  computeCleanupChange,
  type FirewallChange,
  listAffectedGuests,
  listCleanupGuests,
} from '../policies/planned-change';
import type { InputPolicy } from '../queries/policy-inputs';
import { sha256, stateHash } from './hashes';

/** What was last read, and what the change would leave. */
export const computeFirewallChange = (
  firewall: FirewallState,
  { policy, leaves }: ImpactChange,
): Promise<FirewallChange> =>
  leaves === 'apply'
    ? computeApplyChange(firewall, policy, firewall.listPolicyWorkloads(policy.id))
    : computeCleanupChange(firewall, policy.id, listCleanupGuests(firewall, policy.id));

/** Workloads that the change concerns, whether or not it changes anything there. */
export const listAffectedWorkloads = (firewall: FirewallState, { policy, leaves }: ImpactChange): string[] =>
  leaves === 'apply'
    ? listAffectedGuests(firewall.inputs, policy, firewall.listPolicyWorkloads(policy.id))
    : listCleanupGuests(firewall, policy.id);

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
export function liveHash(
  firewall: FirewallState,
  change: { policy: InputPolicy } & ImpactChange,
  found: FirewallChange,
): string {
  const ids = listAffectedWorkloads(firewall, change);
  const after = ids.filter((id) => found.changed.has(id)).sort();
  return sha256([
    snapshotsHash(found.before, ids),
    after.map((id) => [id, hashCachedState(found.after.snapshots.guests.get(id)?.state)]),
    [...found.unreadable].sort(),
  ]);
}
