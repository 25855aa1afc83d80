import { setTimeout } from 'node:timers/promises';
import type { LoginInput } from '@/domain/auth';
import type { SecondFactorNeeded } from '@/domain/second-factor';
import {
  assertNotLocked,
  consumeAttempt,
  isBusy,
  loginBound,
  loginLimits,
  sourceKey,
  tooManyAttempts,
} from '../../auth/attempt-limits';
import type { OpenScope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { countSignIn } from '../../lib/metrics';
import { signInByDirectory } from '../directory/sign-in';
import { findLdapSettings, type LdapSettingsRow } from '../queries/directory';
import { hasSignedInFrom } from '../queries/refresh-tokens';
import { lockUser } from '../queries/user-list';
import { findCredentials, updatePassword } from '../queries/users';
import { issueChallenge } from './challenge';
import { recordFailedSignIn, withSignInSlot } from './checks';
import { hashPassword, isOutdatedHash, verifyPassword } from './passwords';
import { completeSignIn, type IssuedSession } from './sessions';

type Account = NonNullable<Awaited<ReturnType<typeof findCredentials>>>;

const wrongCredentials = () => new AppError('unauthenticated', 'Email or password is wrong.');

/** Why a sign-in with a password fails; null when it does not. */
function failureReason(account: Account | null, matches: boolean) {
  if (!account) return 'unknown_user';
  if (!account.active) return 'inactive';
  if (!matches) return 'wrong_password';
  return account.password_sign_in ? null : 'password_not_allowed';
}

/** Approximate time of a password check: refused attempts wait as long, so that the response reveals no accounts. */
const CHECK_MS = 60;

/**
 * Whether this attempt gets its real result, at a source with many failures. A user who recently signed in from there
 * is checked whatever others did but, like everyone else, sees only a success when no attempt is left.
 */
async function admit(scope: OpenScope, account: Account | null): Promise<{ check: boolean; tell: boolean }> {
  const bound = loginBound(scope.origin);
  if (!(await isBusy(db, bound))) return { check: true, tell: true };
  const tell = await db.transaction((tx) => consumeAttempt(tx, bound));
  if (tell) return { check: true, tell };
  return { check: account !== null && (await hasSignedInFrom(db, account.id, sourceKey(scope.origin))), tell };
}

/**
 * Signs a user in, or asks for the code of their second factor. Unknown account, wrong password and an account that may
 * not sign in this way give the same answer in the same time.
 * @throws AppError `unauthenticated`; `too_many_requests` after too many failures of the account, also for the right
 * password, and of strangers at a source with many failures
 */
export async function login(
  scope: OpenScope,
  input: LoginInput,
  client: { user_agent: string | null },
): Promise<IssuedSession | SecondFactorNeeded> {
  const asker = { source: sourceKey(scope.origin), account: input.email };
  const answer = await withSignInSlot('local', asker, () => signIn(scope, input, client));
  if (!('directory' in answer)) return answer;
  return withSignInSlot('directory', asker, () => signInByDirectory(scope, answer.directory, input, client));
}

/** Signs in a local account; `directory` when only the directory can check the password. */
async function signIn(
  scope: OpenScope,
  input: LoginInput,
  client: { user_agent: string | null },
): Promise<IssuedSession | SecondFactorNeeded | { directory: LdapSettingsRow }> {
  const limits = loginLimits(input.email, scope.origin);
  await assertNotLocked(db, limits);
  const account = await findCredentials(input.email);
  const known = account?.password_hash ?? null;
  const { check, tell } = await admit(scope, account);
  if (!check) {
    await setTimeout(CHECK_MS);
    throw tooManyAttempts(loginBound(scope.origin).per_seconds);
  }
  // A name with a local password stays here: its password is never sent to the directory, and no directory account takes it over.
  const directory = known === null ? await findLdapSettings(db) : null;
  if (directory?.enabled) return { directory };
  const asker = { source: sourceKey(scope.origin), account: input.email };
  const reason = failureReason(account, await verifyPassword(known, input.password, asker));
  if (!account || known === null || reason) {
    await db.transaction((tx) =>
      recordFailedSignIn(tx, scope, { email: input.email, account, reason: reason ?? 'wrong_password' }),
    );
    throw tell ? wrongCredentials() : tooManyAttempts(loginBound(scope.origin).per_seconds);
  }
  const renewed = isOutdatedHash(known) ? await hashPassword(input.password, asker) : null;
  const answer = await db.transaction(async (tx) => {
    // Check again: among many concurrent guesses, a right one must not succeed after the others locked the account.
    await assertNotLocked(tx, limits);
    // A second factor or another password that is being set at this moment counts, too.
    const row = await lockUser(tx, account.id);
    if (!row?.active || row.password_hash !== known) throw wrongCredentials();
    if (renewed !== null) await updatePassword(tx, account.id, known, renewed);
    return (
      (await issueChallenge(tx, account.id, 'password')) ??
      completeSignIn(tx, scope, { account, proof: { method: 'password', second_factor: null }, ...client })
    );
  });
  if ('access_token' in answer) countSignIn('ok');
  return answer;
}
