import type { PolicyGuest } from '@/domain/policy-guests';
import type { WorldPolicy } from '../../queries/policy-world';
import type { Board } from '../board/board';

/** How far a policy is in force at one workload; null for a workload that is not in the inventory. */
export function policyGuest(
  board: Board,
  policy: Pick<WorldPolicy, 'id' | 'enabled' | 'definition'>,
  workloadId: string,
): PolicyGuest | null {
  const workload = board.world.workloads.get(workloadId);
  if (!workload) return null;
  const { reasons, ...standing } = board.standingAt(policy, [workloadId]);
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
    read_at: board.readAt([workloadId]),
  };
}
