import type { ImpactChange } from '@/domain/impact/stored-impact';
import { objectCache } from '../../lib/cache';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { computeApplyChange, type FirewallChange } from '../policy-tests/tests-after';
import type { InputPolicy } from '../queries/policy-inputs';
import { sha256 } from './hashes';
import { guestsConcerned, statesAfterCleanup } from './states-after';

/** Workloads where a policy was applied, or something of it was found. */
function listCleanupWorkloads(firewall: FirewallState, policyId: string): string[] {
  const placed = new Set(firewall.listAppliedWorkloads(policyId));
  return firewall.listPolicyWorkloads(policyId).filter((id) => placed.has(id) || firewall.isFoundAt(policyId, id));
}

async function afterCleanup(firewall: FirewallState, policyId: string): Promise<FirewallChange> {
  const { inputs, snapshots } = firewall;
  const ids = listCleanupWorkloads(firewall, policyId);
  const states = await statesAfterCleanup(inputs, policyId, ids, snapshots.guests);
  const guests = new Map(snapshots.guests);
  const changed = new Set<string>();
  const unreadable = new Set(ids.filter((id) => !states.has(id)));
  for (const [id, { before, after }] of states) {
    const snapshot = snapshots.guests.get(id);
    if (!after) unreadable.add(id);
    if (!snapshot || !after || before === after) continue;
    changed.add(id);
    guests.set(id, { ...snapshot, state: after });
  }
  return { before: { inputs, snapshots }, after: { inputs, snapshots: { ...snapshots, guests } }, changed, unreadable };
}

/** What was last read, and what the change would leave. What is only written in another order is not changed. */
export async function computeFirewallChange(
  firewall: FirewallState,
  { policy, leaves }: ImpactChange,
): Promise<FirewallChange> {
  const found =
    leaves === 'apply'
      ? await computeApplyChange(firewall, policy, firewall.listPolicyWorkloads(policy.id))
      : await afterCleanup(firewall, policy.id);
  const stateIn = ({ snapshots }: FirewallChange['before'], id: string) =>
    sha256(snapshots.guests.get(id)?.state ?? null);
  const changed = [...found.changed].filter((id) => stateIn(found.before, id) !== stateIn(found.after, id));
  return { ...found, changed: new Set(changed) };
}

/** Workloads that the change concerns, whether or not it changes anything there. */
export const concernedBy = (firewall: FirewallState, { policy, leaves }: ImpactChange): string[] =>
  leaves === 'apply'
    ? guestsConcerned(firewall.inputs, policy, firewall.listPolicyWorkloads(policy.id))
    : listCleanupWorkloads(firewall, policy.id);

const prints = objectCache<object, string>({ name: 'impact_readings' });
const printOf = (state: object | null | undefined) => (state ? prints.load(state, null, () => sha256(state)) : null);

/** Hash of what was last read of some workloads: their rules, their place and their addresses. */
export function snapshotsHash({ inputs, snapshots }: FirewallChange['before'], ids: readonly string[]): string {
  return sha256(
    [...new Set(ids)].sort().map((id) => {
      const workload = inputs.workloads.get(id);
      const cluster = workload && snapshots.clusters.get(workload.cluster_id)?.state;
      return [
        id,
        printOf(snapshots.guests.get(id)?.state),
        printOf(cluster),
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
  const ids = concernedBy(firewall, change);
  const after = ids.filter((id) => found.changed.has(id)).sort();
  return sha256([
    snapshotsHash(found.before, ids),
    after.map((id) => [id, sha256(found.after.snapshots.guests.get(id)?.state ?? null)]),
    [...found.unreadable].sort(),
  ]);
}
