import type { User } from '@/domain/user';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { deleteSecondFactor } from '../queries/second-factors';
import { findAssignments, findUser, lockUser } from '../queries/user-list';
import { endSessions } from '../users/end-sessions';
import { assertMayGrant } from '../users/may-grant';
import { assertNoToken } from '../users/program-limits';

/**
 * Takes the second factor of somebody who lost it away; all their sign-ins end. Where a role asks for one they have to set
 * up another at the next sign-in.
 * @throws AppError `not_found`; `conflict` without one, or for oneself; `forbidden` for somebody with rights that the actor lacks, and for API tokens
 */
export async function resetSecondFactor(scope: Scope<'user:write'>, userId: string): Promise<User> {
  assertNoToken(scope, 'end sign-ins');
  return db.transaction(async (tx) => {
    const row = await lockUser(tx, userId);
    if (!row) throw notFound('user');
    if (scope.actor.id === userId) {
      throw new AppError(
        'conflict',
        'This is your own account. Switch it off on your account page, with your password.',
      );
    }
    const now = clock.now().toISOString();
    await assertMayGrant(tx, scope.actor, await findAssignments(tx, [userId], now));
    if (!(await deleteSecondFactor(tx, userId))) throw new AppError('conflict', 'No second factor is set up.');
    const ended_sessions = await endSessions(tx, userId);
    const user = await findUser(tx, userId, now);
    if (!user) throw notFound('user');
    await recordAudit(tx, scope, {
      action: 'user.second_factor_reset',
      object_kind: 'user',
      object_id: userId,
      object_name: row.email,
      after: { ended_sessions },
    });
    return user;
  });
}
