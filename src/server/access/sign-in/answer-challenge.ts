import { assertMayTry, loginLimits } from '../../auth/attempt-limits';
import type { OpenScope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { countSignIn } from '../../lib/metrics';
import { spendCode } from '../account/spend-code';
import { deleteChallenge, findChallenge } from '../queries/second-factors';
import { lockUser } from '../queries/user-list';
import { findUserWithRoles } from '../queries/users';
import { completeSignIn } from './complete-sign-in';
import type { IssuedSession } from './issue-session';
import { noteFailedSignIn } from './note-failed-sign-in';

const over = () =>
  new AppError('unauthenticated', 'Too much time has passed since the first step. Sign in again.', {
    extra: { reason: 'challenge_over' },
  });

/**
 * The second step of signing in: a code of the app, or a recovery code. A wrong one counts like a wrong password.
 * @throws AppError `unauthenticated` with `reason` `wrong_code` or `challenge_over`; `too_many_requests`
 */
export async function answerChallenge(
  scope: OpenScope,
  { challenge_token, code }: { challenge_token: string; code: string },
  client: { user_agent: string | null },
): Promise<IssuedSession> {
  const token_hash = hashToken(challenge_token);
  const now = clock.now().toISOString();
  const known = await findChallenge(db, token_hash, now);
  const account = known && (await findUserWithRoles(db, known.user_id, now))?.user;
  if (!known || !account) throw over();
  const limits = loginLimits(account.email, scope.origin);
  await assertMayTry(db, limits);
  // A wrong code is counted in the transaction that read it, under the user's lock: guesses take turns, however many come at once.
  const session = await db.transaction(async (tx) => {
    const row = await lockUser(tx, account.id);
    await assertMayTry(tx, limits);
    if (!row?.active || !(await findChallenge(tx, token_hash, now))) throw over();
    const second_factor = await spendCode(tx, account.id, code);
    if (!second_factor) {
      await noteFailedSignIn(tx, scope, { email: account.email, account, reason: 'wrong_code' });
      return null;
    }
    await deleteChallenge(tx, known.id);
    const { method, family_id } = known;
    return completeSignIn(tx, scope, { account, proof: { method, second_factor }, family_id, ...client });
  });
  if (!session) {
    throw new AppError('unauthenticated', 'The code is wrong or was used already. Wait for the next one.', {
      extra: { reason: 'wrong_code' },
    });
  }
  countSignIn('ok');
  return session;
}
