import type { UserIdentity } from '@/domain/sign-in-provider';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { notFound } from '../../lib/refusals';
import { deleteIdentity, listIdentities } from '../queries/user-identities';
import { findAssignments, findUser, lockUser } from '../queries/user-list';
import { endSessions } from '../users/end-sessions';
import { assertMayGrant } from '../users/may-grant';
import { assertNoToken } from '../users/program-limits';

/** The accounts at sign-in providers that belong to a user. @throws AppError `not_found` */
export async function listUserIdentities(
  _scope: Scope<'user:read'>,
  userId: string,
): Promise<{ items: UserIdentity[] }> {
  if (!(await findUser(db, userId, clock.now().toISOString()))) throw notFound('user');
  return { items: await listIdentities(db, userId) };
}

/**
 * Parts a user from an account at a provider, which then lets nobody in any more; all sign-ins of the user end.
 * @throws AppError `not_found`; `forbidden` for somebody with rights that the actor lacks, and for API tokens
 */
export async function unlinkIdentity(scope: Scope<'user:write'>, userId: string, id: string): Promise<void> {
  assertNoToken(scope, 'end sign-ins');
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, userId);
    if (!user) throw notFound('user');
    await assertMayGrant(tx, scope.actor, await findAssignments(tx, [userId], clock.now().toISOString()));
    const gone = await deleteIdentity(tx, userId, id);
    if (!gone) throw notFound('account of this user at a provider');
    const ended_sessions = await endSessions(tx, userId);
    const { issuer, subject, email } = gone;
    await recordAudit(tx, scope, {
      action: 'user.identity_unlinked',
      object_kind: 'user',
      object_id: userId,
      object_name: user.email,
      before: { issuer, subject, email },
      after: { ended_sessions },
    });
  });
}
