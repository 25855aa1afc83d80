import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import type { PolicyListInput, PolicyListItem } from '@/domain/policies';
import { shownStatus } from '@/domain/policy/status';
import type { Scope } from '../../auth/scope';
import * as repository from '../queries/policies';
import type { Board } from './board/board';
import { readBoard } from './board/read-board';
import { placesShown, standingShown, touchingPolicies, withStanding } from './touching';

/** Ids of the policies that fit filters which only the board can answer; null when none of these is asked for. */
function fitting(board: Board, reach: Reach, input: PolicyListInput): string[] | null {
  const { deployment_status, shown_status, cluster_id, workload_id } = input;
  const filters = [deployment_status, shown_status, cluster_id, workload_id];
  if (filters.every((filter) => filter === undefined)) return null;
  const wanted = deployment_status === 'none' ? null : deployment_status;
  return board.world.policies
    .filter((policy) => {
      const { status, deployments } = standingShown(board, policy, reach);
      const onCluster = deployments.find((deployment) => deployment.cluster_id === cluster_id);
      const shown = cluster_id === undefined ? status : (onCluster?.status ?? null);
      return (
        (wanted === undefined || shown === wanted) &&
        (shown_status === undefined ||
          shownStatus({ status: shown, deployments: onCluster ? [onCluster] : deployments }) === shown_status) &&
        (cluster_id === undefined || (onCluster !== undefined && onCluster.guests > 0)) &&
        (workload_id === undefined || placesShown(board, policy, reach).includes(workload_id))
      );
    })
    .map(({ id }) => id);
}

/** One page of the policies within reach, each with where it stands. No cluster is asked. */
export async function listPolicies(scope: Scope<'policy:read'>, input: PolicyListInput): Promise<Page<PolicyListItem>> {
  const { reach } = scope;
  const board = await readBoard();
  const page = await repository.listPolicies(
    reach,
    input,
    fitting(board, reach, input),
    touchingPolicies(board, reach),
  );
  return { ...page, items: page.items.map((policy) => withStanding(board, policy, reach)) };
}
