import { AccountEmail } from '@/domain/auth';
import type { SecondFactorNeeded } from '@/domain/second-factor';
import { assertNotLocked, clearFailures, directoryLimits, loginLimits } from '../../auth/attempt-limits';
import type { OpenScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { countSignIn } from '../../lib/metrics';
import { LdapError } from '../../providers/ldap/connect';
import { type DirectoryUser, withDirectory } from '../../providers/ldap/directory';
import { applyGroups, createLinkedUser, PROVIDER_ACTOR } from '../provider/accounts';
import { LDAP_ID, type LdapSettingsRow } from '../queries/directory';
import { findIdentity, listRoleMappings, lockSubject, recordIdentityUse } from '../queries/provider';
import { lockSuperAdmins, lockUser, type UserRow } from '../queries/user-list';
import { findCredentials } from '../queries/users';
import { issueChallenge } from '../sign-in/challenge';
import { recordFailedSignIn } from '../sign-in/checks';
import { completeSignIn, type IssuedSession } from '../sign-in/sessions';
import { createGroupTest, toAccess } from './settings';

type Input = { email: string; password: string };
type Refusal = 'disabled' | 'no_group' | 'no_email' | 'email_taken' | 'inactive';

const wrongCredentials = () => new AppError('unauthenticated', 'Email or password is wrong.');

/** What the owner of the right password reads who still does not get in. */
const REFUSALS: Record<Refusal, string> = {
  disabled: 'Your account in the directory is disabled. Contact its administrator.',
  no_group: 'None of your groups in the directory gives access to Fabric. Contact an administrator.',
  no_email: 'Your account in the directory has no email address. Contact its administrator.',
  email_taken: 'An account of Fabric has your email address already. Contact an administrator.',
  inactive: 'Your account is not active. Contact an administrator.',
};

/** What the directory says about a name and a password. @throws AppError `unavailable`, `too_many_requests` */
async function askDirectory(scope: OpenScope, row: LdapSettingsRow, { email, password }: Input) {
  try {
    return await withDirectory(toAccess(row), { allow: env().FABRIC_ALLOW_PRIVATE_TARGETS }, async (session) => {
      const account = await session.findUser(email);
      if (!account) return { account: null, matches: false };
      await assertNotLocked(db, directoryLimits(account.id, scope.origin));
      if (!(await session.verifyPassword(account, password))) return { account, matches: false };
      return { account: { ...account, groups: await session.listGroups(account, email) }, matches: true };
    });
  } catch (cause) {
    if (!(cause instanceof LdapError)) throw cause;
    logger.warn({ err: cause, request_id: scope.origin.request_id }, 'sign-in through the directory failed');
    // An ambiguous name is the caller's: it must not reveal that there are several such accounts.
    if (cause.reason === 'ambiguous') return { account: null, matches: false };
    throw new AppError(
      'unavailable',
      'The directory does not answer, so accounts of the organization cannot sign in now. Try again later. Local accounts can sign in.',
      { cause, extra: { reason: 'directory_unavailable' } },
    );
  }
}

/** The Fabric account of a directory account: linked before, or new. Never one that only has the same address. */
async function findAccount(
  tx: Tx,
  scope: OpenScope,
  found: DirectoryUser,
  sign_in_name: string,
): Promise<UserRow | { refused: Refusal; account: { id: string; email: string } | null }> {
  await lockSubject(tx, LDAP_ID, found.id);
  const identity = await findIdentity(tx, LDAP_ID, found.id);
  if (identity) {
    const user = await lockUser(tx, identity.user_id);
    if (!user) throw new Error('expected the stored account to exist');
    if (!user.active) return { refused: 'inactive', account: user };
    const last_used_at = clock.now().toISOString();
    await recordIdentityUse(tx, identity.id, { email: found.email, sign_in_name, last_used_at });
    return user;
  }
  const email = AccountEmail.safeParse(found.email);
  if (!email.success) return { refused: 'no_email', account: null };
  const known = await findCredentials(email.data, tx);
  if (known) return { refused: 'email_taken', account: known };
  const subject = { issuer: LDAP_ID, subject: found.id, email: email.data, sign_in_name };
  const by = { actor: PROVIDER_ACTOR.ldap, origin: scope.origin };
  return createLinkedUser(tx, { email: email.data, name: found.name?.slice(0, 100) ?? '' }, subject, by);
}

/** Why an account with the right password does not get in by itself; null when it does. */
async function findRefusal(tx: Tx, row: LdapSettingsRow, found: DirectoryUser): Promise<Refusal | null> {
  if (found.disabled) return 'disabled';
  const isMember = createGroupTest(found.groups);
  const mapped = (await listRoleMappings(tx, 'ldap')).some(({ group }) => isMember(group));
  return row.require_group && !mapped ? 'no_group' : null;
}

/**
 * Signs in an account of the directory, or asks for its second factor. Only names without a local password come here.
 * @throws AppError `unauthenticated`, `too_many_requests`; `unavailable` when no server answers
 */
export async function signInByDirectory(
  scope: OpenScope,
  row: LdapSettingsRow,
  input: Input,
  client: { user_agent: string | null },
): Promise<IssuedSession | SecondFactorNeeded> {
  const { account: found, matches } = await askDirectory(scope, row, input);
  const limits = [...loginLimits(input.email, scope.origin), ...(found ? directoryLimits(found.id, scope.origin) : [])];
  const answer = await db.transaction(async (tx) => {
    // Check again: among many concurrent guesses, a right one must not succeed after the others locked the account.
    await assertNotLocked(tx, limits);
    const fail = async (
      reason: 'wrong_password' | 'unknown_user' | `directory_${Refusal}`,
      account: { id: string; email: string } | null,
    ) => {
      await recordFailedSignIn(tx, scope, {
        email: input.email,
        ...(found && { also: `directory ${found.id}` }),
        account: account && { id: account.id, email: account.email },
        reason,
      });
    };
    if (!found || !matches) {
      await fail(found ? 'wrong_password' : 'unknown_user', null);
      return { refused: null };
    }
    const refusal = await findRefusal(tx, row, found);
    if (refusal) {
      await fail(`directory_${refusal}`, null);
      return { refused: refusal };
    }
    await lockSuperAdmins(tx);
    const user = await findAccount(tx, scope, found, input.email);
    if ('refused' in user) {
      await fail(`directory_${user.refused}`, user.account);
      return { refused: user.refused };
    }
    const by = { actor: PROVIDER_ACTOR.ldap, origin: scope.origin };
    await applyGroups(tx, user, { provider: 'ldap', isMember: createGroupTest(found.groups) }, by);
    const challenge = await issueChallenge(tx, user.id, 'ldap');
    if (challenge) return challenge;
    // Only now: the password alone must not wipe out wrong codes. With a second factor the second step does it.
    await clearFailures(tx, limits);
    return completeSignIn(tx, scope, { account: user, proof: { method: 'ldap', second_factor: null }, ...client });
  });
  if ('refused' in answer) {
    throw answer.refused === null
      ? wrongCredentials()
      : new AppError('unauthenticated', REFUSALS[answer.refused], { extra: { reason: `directory_${answer.refused}` } });
  }
  if ('access_token' in answer) countSignIn('ok');
  return answer;
}
