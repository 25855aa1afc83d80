import { isDeepStrictEqual } from 'node:util';
import type { ApplyPendingResult } from '@/domain/deployments';
import type { ClusterDeployment } from '@/domain/policy-deployment';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { readBoard } from '../policies/board/read-board';
import { compileWorld, isDeployed, loadPolicyWorld, type PolicyWorld } from '../policies/world/load-policy-world';
import { listPlacementsOf, type PlacementRow } from '../queries/policy-placements';
import { listPolicyStates } from '../queries/policy-states';
import { dropsOf, rulesOf } from './guest-work';
import { requestApply } from './request-apply';

/** Whether what was last applied of the policy is not what it wants now; live rules are not looked at. */
function isPending(policyId: string, world: PolicyWorld, placements: readonly PlacementRow[]): boolean {
  const open = new Map(placements.map((row) => [row.workload_id, row]));
  for (const wanted of compileWorld(world).guests) {
    const rules = rulesOf(policyId, { wanted });
    const { drop_in, drop_out } = dropsOf(policyId, { wanted });
    if (rules.length === 0 && !drop_in && !drop_out) continue;
    const row = open.get(wanted.workload_id);
    if (!row || row.applied_at === null || row.drop_in !== drop_in || row.drop_out !== drop_out) return true;
    // Stored as JSON, which knows no difference between absent and undefined.
    if (!isDeepStrictEqual(row.rules, JSON.parse(JSON.stringify(rules)))) return true;
    open.delete(wanted.workload_id);
  }
  // What is left was applied where nothing is wanted any more.
  return open.size > 0;
}

const isOrderPending = ({ reasons }: Pick<ClusterDeployment, 'reasons'>) => reasons.includes('order_pending');

/**
 * Applies every policy within reach of which something else is wanted than was last applied: changed policies, and
 * those whose groups, addresses or networks changed, and those that were applied in another order than is wanted now.
 */
export async function applyPending(scope: Scope<'policy:apply'>): Promise<ApplyPendingResult> {
  const policies = (await listPolicyStates(db, scope.reach)).filter(isDeployed);
  const world = await loadPolicyWorld();
  const placements = await listPlacementsOf(
    db,
    policies.map(({ id }) => id),
  );
  const board = await readBoard();
  const waitsForOrder = (id: string) => {
    const policy = board.world.policies.find((one) => one.id === id);
    return policy !== undefined && board.standingOf(policy).deployments.some(isOrderPending);
  };
  const operations: ApplyPendingResult['operations'] = [];
  for (const { id, name } of policies) {
    const own = placements.filter(({ policy_id }) => policy_id === id);
    if (!isPending(id, world, own) && !waitsForOrder(id)) continue;
    try {
      const { ids } = await requestApply(scope, id, world, 'apply_pending');
      operations.push({ policy_id: id, policy_name: name, deployment_ids: ids, message: null });
    } catch (error) {
      // Changed or deleted meanwhile: that is told, and the others go on.
      if (!(error instanceof AppError)) throw error;
      operations.push({ policy_id: id, policy_name: name, deployment_ids: [], message: error.message });
    }
  }
  return { operations };
}
