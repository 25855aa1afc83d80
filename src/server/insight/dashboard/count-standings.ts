import type { PolicyStandings } from '@/domain/dashboard/dashboard';
import { isWithinReach, type Reach } from '@/domain/permissions';
import { type DeploymentStatus, shownStatus, worstStatus } from '@/domain/policy/status';
import type { Board } from '../../enforcement/policies/board/board';
import { standingShown, touchingPolicies } from '../../enforcement/policies/touching';
import { isDeployed } from '../../enforcement/policies/world';

/** More than these are for the list of policies. */
const MOST = 10;

/** Policies within reach by mode and by where they stand, as last read; no cluster is asked. */
export function countStandings(board: Board, reach: Reach): PolicyStandings {
  const standings: PolicyStandings = {
    total: 0,
    enforced: 0,
    audit: 0,
    disabled: 0,
    active: 0,
    stale: 0,
    partial: 0,
    unresolved: 0,
    pending: 0,
    none: 0,
    attention: [],
  };
  const touching = new Set(touchingPolicies(board, reach));
  for (const policy of board.world.policies) {
    if (!isWithinReach(policy, reach) && !touching.has(policy.id)) continue;
    const { status: stored, deployments } = standingShown(board, policy, reach);
    const status = shownStatus({ status: stored, deployments });
    standings.total += 1;
    standings[isDeployed(policy) ? 'enforced' : policy.enabled ? 'audit' : 'disabled'] += 1;
    standings[status] += 1;
    // What nobody applied yet is no trouble.
    if (status === 'none' || status === 'active' || status === 'pending') continue;
    const reasons = [...new Set(deployments.flatMap((deployment) => deployment.reasons))];
    standings.attention.push({ policy_id: policy.id, policy_name: policy.name, status, reasons });
  }
  const worse = (a: DeploymentStatus, b: DeploymentStatus) => (a === b ? 0 : worstStatus([a, b]) === a ? -1 : 1);
  standings.attention = standings.attention
    .sort((a, b) => worse(a.status, b.status) || a.policy_name.localeCompare(b.policy_name, 'en'))
    .slice(0, MOST);
  return standings;
}
