import type { Policy } from '@/domain/policies';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { findPolicy } from '../queries/policies';
import { readBoardAfresh } from './board/read-board-afresh';
import { describePolicy } from './describe-policy';
import { findTouching, placesShown } from './touching';

/**
 * One policy with where it stands. With `fresh` the guests concerned are read now, else it is told from the last
 * reading, whose age is part of the answer.
 * @throws AppError `not_found`
 */
export async function readPolicy(scope: Scope<'policy:read'>, id: string, fresh = false): Promise<Policy> {
  const { reach } = scope;
  if (!fresh) return describePolicy(reach, id);
  const policy = await findPolicy(db, reach, id, await findTouching(reach));
  if (!policy) throw notFound('policy');
  return describePolicy(reach, id, await readBoardAfresh((board) => placesShown(board, policy, reach)));
}
