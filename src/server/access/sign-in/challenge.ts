import { randomBytes } from 'node:crypto';
import type {
  PasskeyChallenge,
  SecondFactorInput,
  SecondFactorKind,
  SecondFactorNeeded,
  SignInMethod,
} from '@/domain/second-factor';
import { CHALLENGE_METHODS, type ChallengeMethod } from '@/domain/second-factor';
import { assertNotLocked, clearFailures, directoryLimits, loginLimits } from '../../auth/attempt-limits';
import { decodeBase32, hashRecoveryCode, matchTotp } from '../../auth/one-time-codes';
import type { OpenScope } from '../../auth/scope';
import { hashToken } from '../../auth/session-tokens';
import { createRequestOptions, type PasskeyRefusal } from '../../auth/webauthn';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { unseal } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import { countSignIn } from '../../lib/metrics';
import { listDirectoryNames } from '../queries/directory';
import { setSignInPasskeyChallenge } from '../queries/passkeys';
import {
  type Challenge,
  consumeRecoveryCode,
  consumeTimeStep,
  countRecoveryCodes,
  deleteChallenge,
  findChallenge,
  findSecondFactor,
  insertChallenge,
  isSecondFactorSet,
} from '../queries/second-factors';
import { lockUser } from '../queries/user-list';
import { findUserWithRoles } from '../queries/users';
import { recordFailedSignIn } from './checks';
import {
  acceptPasskeyAnswer,
  listUsablePasskeys,
  PASSKEY_COUNTER_MESSAGE,
  requirePasskeySite,
} from './passkey-answers';
import { completeSignIn, type IssuedSession } from './sessions';

/** How long a sign-in waits for its second step: enough to find the phone. */
export const CHALLENGE_SECONDS = 600;

/** What the second step of a sign-in can be; null: the user has no second factor. */
async function listMethods(tx: Tx, userId: string): Promise<ChallengeMethod[] | null> {
  if (!(await isSecondFactorSet(tx, userId))) return null;
  const available: Record<ChallengeMethod, boolean> = {
    passkey: (await listUsablePasskeys(tx, userId)).length > 0,
    totp: Boolean((await findSecondFactor(tx, userId))?.confirmed_at),
    recovery_code: (await countRecoveryCodes(tx, userId)) > 0,
  };
  return CHALLENGE_METHODS.filter((method) => available[method]);
}

/** Asks for a code or a passkey when the user has set up a second factor; null: nothing to ask for. Lock the user before. `family_id` is that of the sign-in to be. */
export async function issueChallenge(
  tx: Tx,
  userId: string,
  method: SignInMethod,
  family_id: string | null = null,
): Promise<SecondFactorNeeded | null> {
  const methods = await listMethods(tx, userId);
  if (!methods) return null;
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
  return { second_factor: { challenge_token, methods, expires_in: CHALLENGE_SECONDS } };
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

/** The sign-in that waits, and its account. @throws AppError `unauthenticated` when it is over, `too_many_requests` */
async function findWaitingSignIn(scope: OpenScope, challenge_token: string) {
  const token_hash = hashToken(challenge_token);
  const now = clock.now().toISOString();
  const known = await findChallenge(db, token_hash, now);
  const account = known && (await findUserWithRoles(db, known.user_id, now))?.user;
  if (!known || !account) throw challengeExpired();
  const limits = loginLimits(account.email, scope.origin);
  await assertNotLocked(db, limits);
  return { token_hash, now, known, account, limits };
}

/**
 * What the browser needs to use a passkey in a sign-in that waits for its second step. An earlier challenge of this
 * sign-in stops working.
 * @throws AppError `unauthenticated` with `reason` `challenge_over`; `refused` without a passkey for the public URL
 */
export async function createPasskeyChallenge(scope: OpenScope, challenge_token: string): Promise<PasskeyChallenge> {
  const { known, now } = await findWaitingSignIn(scope, challenge_token);
  const site = await requirePasskeySite(db);
  const passkeys = await listUsablePasskeys(db, known.user_id);
  if (passkeys.length === 0) throw new AppError('refused', 'You have no passkey for this address. Use a code.');
  const options = await createRequestOptions(site, passkeys);
  const set = await db.transaction((tx) => setSignInPasskeyChallenge(tx, known.id, options.challenge, now));
  if (!set) throw challengeExpired();
  return { options };
}

/** Verifies a code or the answer of a passkey, and uses it up. Lock the user before. */
async function consumeProof(
  tx: Tx,
  waiting: Challenge,
  { code, passkey }: Pick<SecondFactorInput, 'code' | 'passkey'>,
): Promise<SecondFactorKind | { refused: PasskeyRefusal | 'wrong_code' }> {
  if (!passkey) return (await consumeCode(tx, waiting.user_id, code ?? '')) ?? { refused: 'wrong_code' };
  await setSignInPasskeyChallenge(tx, waiting.id, null, clock.now().toISOString());
  return (await acceptPasskeyAnswer(tx, waiting.user_id, passkey, waiting.passkey_challenge)) ?? 'passkey';
}

const REFUSED = {
  wrong_code: 'The code is wrong or already used. Wait for the next code.',
  wrong_passkey: 'The passkey was not accepted. Try again, or use a code.',
  passkey_counter: PASSKEY_COUNTER_MESSAGE,
} as const;

/** Forgets failures by what the directory knows an account; those of its email address go with every sign-in. */
async function clearDirectoryFailures(tx: Tx, scope: OpenScope, userId: string): Promise<void> {
  for (const { subject, sign_in_name } of await listDirectoryNames(tx, userId)) {
    const named = sign_in_name === null ? [] : loginLimits(sign_in_name, scope.origin);
    await clearFailures(tx, [...named, ...directoryLimits(subject, scope.origin)]);
  }
}

/**
 * The second step of signing in: a code of the app, a recovery code, or a passkey. A wrong one counts like a wrong
 * password.
 * @throws AppError `unauthenticated` with `reason` `wrong_code`, `wrong_passkey`, `passkey_counter` or `challenge_over`;
 * `too_many_requests`
 */
export async function answerChallenge(
  scope: OpenScope,
  { challenge_token, ...proof }: { challenge_token: string } & Pick<SecondFactorInput, 'code' | 'passkey'>,
  client: { user_agent: string | null },
): Promise<IssuedSession> {
  const { token_hash, now, account, limits } = await findWaitingSignIn(scope, challenge_token);
  // A wrong answer is counted in the transaction that read it, under the user's lock: concurrent guesses queue.
  const session = await db.transaction(async (tx) => {
    const row = await lockUser(tx, account.id);
    await assertNotLocked(tx, limits);
    const waiting = row?.active ? await findChallenge(tx, token_hash, now) : null;
    if (!waiting) throw challengeExpired();
    const second_factor = await consumeProof(tx, waiting, proof);
    if (typeof second_factor !== 'string') {
      await recordFailedSignIn(tx, scope, { email: account.email, account, reason: second_factor.refused });
      return second_factor;
    }
    await deleteChallenge(tx, waiting.id);
    const { method, family_id } = waiting;
    if (method === 'ldap') await clearDirectoryFailures(tx, scope, account.id);
    return completeSignIn(tx, scope, { account, proof: { method, second_factor }, family_id, ...client });
  });
  if ('refused' in session) {
    throw new AppError('unauthenticated', REFUSED[session.refused], { extra: { reason: session.refused } });
  }
  countSignIn('ok');
  return session;
}
