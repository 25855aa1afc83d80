import type { TenantReach } from '@/domain/permissions';
import type { Policy } from '@/domain/policies';
import { db } from '../../db/client';
import { findPolicy, listPolicyRules } from '../../repositories/policies';
import type { Board } from './board/board';
import { readBoard } from './board/read-board';
import { noSuchPolicy } from './no-such-policy';

/**
 * A policy with its rules and where it stands, from what was last read of the clusters or from the board given.
 * @throws AppError `not_found`
 */
export async function describePolicy(reach: TenantReach, id: string, board?: Board): Promise<Policy> {
  const [policy, rules, standings] = await Promise.all([
    findPolicy(db, reach, id),
    listPolicyRules(db, id),
    board ?? readBoard(),
  ]);
  if (!policy) throw noSuchPolicy();
  const { status, deployments } = standings.standingOf(policy);
  return { ...policy, rules, deployment_status: status, deployments };
}
