import { randomBytes } from 'node:crypto';
import type { SecondFactorKind, SecondFactorNeeded, SignInMethod } from '@/domain/second-factor';
import { assertNotLocked, loginLimits } from '../../auth/attempt-limits';
import { decodeBase32, hashRecoveryCode, matchTotp } from '../../auth/one-time-codes';
import type { OpenScope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { unseal } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import { countSignIn } from '../../lib/metrics';
import {
  consumeRecoveryCode,
  consumeTimeStep,
  countRecoveryCodes,
  deleteChallenge,
  findChallenge,
  findSecondFactor,
  insertChallenge,
} from '../queries/second-factors';
import { lockUser } from '../queries/user-list';
import { findUserWithRoles } from '../queries/users';
import { recordFailedSignIn } from './checks';
import { completeSignIn, type IssuedSession } from './sessions';

/** How long a sign-in waits for a code: enough to find the phone. */
export const CHALLENGE_SECONDS = 600;

/** Asks for a code when the user has set up a second factor; null: nothing to ask for. Lock the user before. `family_id` is that of the sign-in to be. */
export async function issueChallenge(
  tx: Tx,
  userId: string,
  method: SignInMethod,
  family_id: string | null = null,
): Promise<SecondFactorNeeded | null> {
  const factor = await findSecondFactor(tx, userId);
  if (!factor?.confirmed_at) return null;
  const challenge_token = randomBytes(32).toString('base64url');
  const at = clock.now();
  await insertChallenge(tx, {
    user_id: userId,
    token_hash: hashToken(challenge_token),
    method,
    family_id,
    created_at: at.toISOString(),
    expires_at: new Date(at.getTime() + CHALLENGE_SECONDS * 1000).toISOString(),
  });
  const recovery = (await countRecoveryCodes(tx, userId)) > 0;
  return {
    second_factor: {
      challenge_token,
      methods: recovery ? ['totp', 'recovery_code'] : ['totp'],
      expires_in: CHALLENGE_SECONDS,
    },
  };
}

/**
 * Uses up a code of a user whose second factor is set up: six digits of the app, else a recovery code. Lock the user
 * before. @returns what it was, or null when it is wrong or was used already
 */
export async function consumeCode(tx: Tx, userId: string, code: string): Promise<SecondFactorKind | null> {
  const at = clock.now();
  if (!/^\d{6}$/.test(code)) {
    return (await consumeRecoveryCode(tx, userId, hashRecoveryCode(code), at.toISOString())) ? 'recovery_code' : null;
  }
  const factor = await findSecondFactor(tx, userId);
  if (!factor?.confirmed_at) return null;
  const { secret_encrypted: sealed, secret_key_id: key_id } = factor;
  const step = matchTotp(decodeBase32(unseal({ sealed, key_id }, userId)), code, at, factor.last_step);
  return step !== null && (await consumeTimeStep(tx, userId, step)) ? 'totp' : null;
}

const challengeExpired = () =>
  new AppError('unauthenticated', 'The sign-in took too long. Sign in again.', {
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
  if (!known || !account) throw challengeExpired();
  const limits = loginLimits(account.email, scope.origin);
  await assertNotLocked(db, limits);
  // A wrong code is counted in the transaction that read it, under the user's lock: concurrent guesses queue.
  const session = await db.transaction(async (tx) => {
    const row = await lockUser(tx, account.id);
    await assertNotLocked(tx, limits);
    if (!row?.active || !(await findChallenge(tx, token_hash, now))) throw challengeExpired();
    const second_factor = await consumeCode(tx, account.id, code);
    if (!second_factor) {
      await recordFailedSignIn(tx, scope, { email: account.email, account, reason: 'wrong_code' });
      return null;
    }
    await deleteChallenge(tx, known.id);
    const { method, family_id } = known;
    return completeSignIn(tx, scope, { account, proof: { method, second_factor }, family_id, ...client });
  });
  if (!session) {
    throw new AppError('unauthenticated', 'The code is wrong or already used. Wait for the next code.', {
      extra: { reason: 'wrong_code' },
    });
  }
  countSignIn('ok');
  return session;
}
