import type { Policy } from '@/domain/policies';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findPolicy } from '../../repositories/policies';
import { readBoardAfresh } from './board/read-board-afresh';
import { describePolicy } from './describe-policy';
import { noSuchPolicy } from './no-such-policy';

/**
 * One policy with where it stands. With `fresh` the guests concerned are read now, else it is told from the last
 * reading, whose age is part of the answer.
 * @throws AppError `not_found`
 */
export async function readPolicy(scope: Scope<'policy:read'>, id: string, fresh = false): Promise<Policy> {
  if (!fresh) return describePolicy(scope.tenants, id);
  if (!(await findPolicy(db, scope.tenants, id))) throw noSuchPolicy();
  return describePolicy(scope.tenants, id, await readBoardAfresh((board) => board.placesOf(id)));
}
