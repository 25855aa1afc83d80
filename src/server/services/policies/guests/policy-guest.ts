import { deploymentStatus } from '@/domain/policy/status';
import type { PolicyGuest } from '@/domain/policy-guests';
import type { WorldPolicy } from '../../../repositories/policy-world';
import type { Board } from '../board/board';
import { isDeployed } from '../world/load-policy-world';

/** How far a policy is in force at one workload; null for a workload that is not in the inventory. */
export function policyGuest(
  board: Board,
  policy: Pick<WorldPolicy, 'id' | 'enabled' | 'definition'>,
  workloadId: string,
): PolicyGuest | null {
  const workload = board.world.workloads.get(workloadId);
  const view = board.viewAt(workloadId);
  if (!workload || !view) return null;
  const { reasons, ...standing } = deploymentStatus(policy.id, isDeployed(policy), false, [view]);
  return {
    workload_id: workload.id,
    name: workload.name,
    vmid: workload.vmid,
    external_id: workload.external_id,
    cluster_id: workload.cluster_id,
    cluster_name: board.world.clusters.get(workload.cluster_id)?.name ?? '',
    node_name: workload.node_name,
    ...standing,
    reasons: [...reasons],
    read_at: board.readings.guests.get(workloadId)?.read_at ?? null,
  };
}
