import type { PasswordChange } from '@/domain/account';
import { normalizePassword, passwordProblem } from '@/domain/auth-password';
import { recordAudit } from '../../audit/record';
import { assertNotLocked, clearFailures, loginLimits, recordFailure } from '../../auth/attempt-limits';
import { getActor, type PersonSession } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { findCredentials, updatePassword } from '../queries/users';
import { signedInAsker } from '../sign-in/checks';
import { hashNewPassword, verifyPassword } from '../sign-in/passwords';
import { endSessions } from '../sign-in/sessions';

const refusal = (field: keyof PasswordChange, message: string) =>
  new AppError('malformed', message, { errors: [{ field, message }] });

/**
 * Changes the user's own password. All other sign-ins end; API tokens stay. A wrong current password counts as a
 * failed sign-in, to prevent guessing in an unattended browser.
 * @throws AppError `malformed` naming the field, `too_many_requests`; `refused` for an account without password
 */
export async function changePassword(
  session: PersonSession,
  input: PasswordChange,
): Promise<{ ended_sessions: number }> {
  const { id, email } = session.user;
  const problem = passwordProblem(input.new_password, email);
  if (problem) throw refusal('new_password', problem);
  if (normalizePassword(input.new_password) === normalizePassword(input.current_password)) {
    throw refusal('new_password', 'Choose a password other than your current one.');
  }
  const limits = loginLimits(email, session.origin);
  await assertNotLocked(db, limits);
  const known = (await findCredentials(email))?.password_hash ?? null;
  if (known === null) throw new AppError('refused', 'Your account has no password. An administrator can set one.');
  if (!(await verifyPassword(known, input.current_password, signedInAsker(id)))) {
    await db.transaction((tx) => recordFailure(tx, limits));
    throw refusal('current_password', 'The password is wrong.');
  }
  const password_hash = await hashNewPassword(input.new_password, 'new_password', signedInAsker(id));
  return db.transaction(async (tx) => {
    await assertNotLocked(tx, limits);
    await clearFailures(tx, limits);
    // Of two concurrent changes, the second must know the password that the first one set.
    if (!(await updatePassword(tx, id, known, password_hash))) {
      throw refusal('current_password', 'Another request changed the password. Reload the page and try again.');
    }
    const ended_sessions = await endSessions(tx, id, session.family_id);
    await recordAudit(
      tx,
      { actor: getActor(session), origin: session.origin },
      {
        action: 'auth.password_changed',
        object_kind: 'user',
        object_id: id,
        object_name: email,
        after: { has_new_secret: true, ended_sessions },
      },
    );
    return { ended_sessions };
  });
}
