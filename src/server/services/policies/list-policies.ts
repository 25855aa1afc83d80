import type { Page } from '@/domain/list';
import type { PolicyListInput, PolicyListItem } from '@/domain/policies';
import type { Scope } from '../../auth/scope';
import * as repository from '../../repositories/policies';
import type { Board } from './board/board';
import { readBoard } from './board/read-board';

/** Ids of the policies that fit filters which only the board can answer; null when none of these is asked for. */
function fitting(board: Board, { deployment_status, cluster_id, workload_id }: PolicyListInput): string[] | null {
  if (deployment_status === undefined && cluster_id === undefined && workload_id === undefined) return null;
  const wanted = deployment_status === 'none' ? null : deployment_status;
  return board.world.policies
    .filter((policy) => {
      const { status, deployments } = board.standingOf(policy);
      const onCluster = deployments.find((deployment) => deployment.cluster_id === cluster_id);
      const shown = cluster_id === undefined ? status : (onCluster?.status ?? null);
      return (
        (wanted === undefined || shown === wanted) &&
        (cluster_id === undefined || (onCluster !== undefined && onCluster.guests > 0)) &&
        (workload_id === undefined || board.placesOf(policy.id).includes(workload_id))
      );
    })
    .map(({ id }) => id);
}

/** One page of the policies within reach, each with where it stands. No cluster is asked. */
export async function listPolicies(scope: Scope<'policy:read'>, input: PolicyListInput): Promise<Page<PolicyListItem>> {
  const board = await readBoard();
  const page = await repository.listPolicies(scope.tenants, input, fitting(board, input));
  return {
    ...page,
    items: page.items.map((policy) => {
      const { status, deployments } = board.standingOf(policy);
      return { ...policy, deployment_status: status, deployments };
    }),
  };
}
