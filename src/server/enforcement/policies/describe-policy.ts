import { projectsOf, type Reach } from '@/domain/permissions';
import type { Policy } from '@/domain/policies';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { findPolicy, listPolicyRules } from '../queries/policies';
import type { Board } from './board/board';
import { readBoard } from './board/read-board';
import { touchingPolicies, withStanding } from './touching';

/**
 * A policy with its rules and where it stands, from what was last read of the clusters or from the board given.
 * @throws AppError `not_found`
 */
export async function describePolicy(reach: Reach, id: string, board?: Board): Promise<Policy> {
  // Which policies touch a project is told by the board.
  const known = board ?? (projectsOf(reach).length > 0 ? await readBoard() : null);
  const [policy, rules, standings] = await Promise.all([
    findPolicy(db, reach, id, known ? touchingPolicies(known, reach) : []),
    listPolicyRules(db, id),
    known ?? readBoard(),
  ]);
  if (!policy) throw notFound('policy');
  return { ...withStanding(standings, policy, reach), rules };
}
