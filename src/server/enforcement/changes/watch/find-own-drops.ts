import type { RolloutPolicy } from '@/domain/change/rollout';
import { computeFlowContext } from '@/domain/flow-context/compute-flow-context';
import type { FlowFacts } from '@/domain/flow-context/flow-context';
import { findManagedRule } from '../../coverage/coverage-tally';
import type { FirewallState } from '../../policies/firewall-state/firewall-state';
import { guestContext } from '../../verdicts/guest-context';

/** A packet that was not let through, and the workloads at its ends. */
type Drop = {
  readonly client_id: string | null;
  readonly server_id: string | null;
  readonly opening: FlowFacts | null;
};

/** Whether a packet matches a rule or a default of these policies at a workload, by what was last read there. */
function isDecidedBy(
  firewall: FirewallState,
  policies: readonly RolloutPolicy[],
  workloadId: string,
  opening: FlowFacts,
  end: 'source' | 'destination',
): boolean {
  const own = policies.filter(({ workload_ids }) => workload_ids.includes(workloadId));
  const workload = firewall.inputs.workloads.get(workloadId);
  const context = own.length > 0 ? guestContext(firewall, workloadId) : null;
  if (!workload || !context) return false;
  const { decided_by: by, verdict, direction } = computeFlowContext(context, opening, end);
  if (verdict !== 'drop' && verdict !== 'reject') return false;
  if (by.kind === 'rule') {
    const rule = findManagedRule({ context, vmid: workload.vmid }, by, firewall.inputs.instance);
    return own.some(({ policy_id }) => policy_id === rule?.policy_id);
  }
  if (by.kind !== 'default' || by.scope !== undefined || direction === null) return false;
  const desired = firewall.desiredAt(workloadId);
  const asking = direction === 'in' ? desired?.drop_in : desired?.drop_out;
  return own.some(({ policy_id }) => asking?.includes(policy_id));
}

/** Those of the drops that policies of a change decide at one of its workloads. */
export function findOwnDrops<T extends Drop>(
  firewall: FirewallState,
  policies: readonly RolloutPolicy[],
  drops: readonly T[],
): T[] {
  return drops.filter(({ client_id, server_id, opening }) => {
    if (!opening) return false;
    const isOwn = (id: string | null, end: 'source' | 'destination') =>
      id !== null && isDecidedBy(firewall, policies, id, opening, end);
    return isOwn(server_id, 'destination') || isOwn(client_id, 'source');
  });
}
