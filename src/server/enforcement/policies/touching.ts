import { isWithinReach, type Owned, projectsOf, type Reach } from '@/domain/permissions';
import type { PolicyListItem, PolicySummary } from '@/domain/policies';
import type { WorldPolicy } from '../queries/policy-world';
import type { Board } from './board/board';
import { readBoard } from './board/read-board';

const placesWithin = (board: Board, policyId: string, reach: Reach): string[] =>
  board.placesOf(policyId).filter((id) => {
    const workload = board.world.workloads.get(id);
    return workload !== undefined && isWithinReach(workload, reach);
  });

/** Ids of the tenants' policies that touch single projects within reach: those with rules on a workload of the project. */
export function touchingPolicies(board: Board, reach: Reach): string[] {
  if (projectsOf(reach).length === 0) return [];
  return board.world.policies
    .filter(({ id, tenant_id, project_id }) => {
      return tenant_id !== null && project_id === null && placesWithin(board, id, reach).length > 0;
    })
    .map(({ id }) => id);
}

/** The same from what was last read. */
export const findTouching = async (reach: Reach): Promise<string[]> =>
  projectsOf(reach).length === 0 ? [] : touchingPolicies(await readBoard(), reach);

/** The workloads with rules of a policy, of a policy that only touches what is within reach those within reach. */
export const placesShown = (board: Board, policy: Owned & { readonly id: string }, reach: Reach): readonly string[] =>
  isWithinReach(policy, reach) ? board.placesOf(policy.id) : placesWithin(board, policy.id, reach);

/** How far a policy is in force, of a policy that only touches what is within reach on workloads within reach. */
export const standingShown = (
  board: Board,
  policy: Owned & Pick<WorldPolicy, 'id' | 'enabled' | 'definition'>,
  reach: Reach,
): ReturnType<Board['standingOf']> =>
  isWithinReach(policy, reach)
    ? board.standingOf(policy)
    : board.standingAmong(policy, placesWithin(board, policy.id, reach));

/** A policy with how far it is in force. Deployments of one that only touches what is within reach tell of other workloads. */
export function withStanding<P extends PolicySummary>(board: Board, policy: P, reach: Reach): P & PolicyListItem {
  const { status, deployments } = standingShown(board, policy, reach);
  const whole = isWithinReach(policy, reach);
  return {
    ...policy,
    last_deployment: whole ? policy.last_deployment : null,
    deployment_status: status,
    deployments,
  };
}
