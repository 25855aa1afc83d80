import type { Passkey } from '@/domain/passkeys';
import type {
  Enrolment,
  EnrolmentConfirmation,
  EnrolmentInput,
  RecoveryCodes,
  SecondFactorProof,
  SecondFactorState,
} from '@/domain/second-factor';
import type { User } from '@/domain/user';
import { recordAudit } from '../../audit/record';
import { assertNotLocked, loginLimits, recordFailure } from '../../auth/attempt-limits';
import {
  decodeBase32,
  encodeBase32,
  hashRecoveryCode,
  matchTotp,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUri,
} from '../../auth/one-time-codes';
import { getActor, type Origin, type PersonSession, type Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { seal, unseal } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { consumePasskeyChallenge, listPasskeyRows, type PasskeyRow } from '../queries/passkeys';
import { findFamilyStart, setFamilySecondFactor } from '../queries/refresh-tokens';
import {
  consumeTimeStep,
  countRecoveryCodes,
  deleteApp,
  deleteSecondFactor,
  findSecondFactor,
  isSecondFactorSet,
  replaceRecoveryCodes,
  storePendingFactor,
} from '../queries/second-factors';
import { findAssignments, findUser, lockUser } from '../queries/user-list';
import { findCredentials, findUserWithRoles } from '../queries/users';
import { consumeCode } from '../sign-in/challenge';
import { signedInAsker } from '../sign-in/checks';
import { acceptPasskeyAnswer, PASSKEY_COUNTER_MESSAGE, readPasskeySite } from '../sign-in/passkey-answers';
import { verifyPassword } from '../sign-in/passwords';
import { endSessions } from '../sign-in/sessions';
import { assertMayGrant, assertNoToken } from '../users/may-grant';

export const wrongField = (field: 'current_password' | 'code' | 'passkey', message: string) =>
  new AppError('malformed', message, { errors: [{ field, message }] });

/** Whose password is asked for, and where from. */
export type Owner = { readonly user: { readonly id: string; readonly email: string }; readonly origin: Origin };

/** Counts a wrong answer like a failed sign-in: an unattended browser is no place to guess at. */
async function countFailure(owner: Owner): Promise<void> {
  await db.transaction((tx) => recordFailure(tx, loginLimits(owner.user.email, owner.origin)));
}

/** Asks for the password that the account has. @throws AppError `malformed` naming the field, `too_many_requests` */
export async function verifyOwnPassword(owner: Owner, known: string, given: string | undefined): Promise<void> {
  if (given === undefined) throw wrongField('current_password', 'Enter your current password.');
  await assertNotLocked(db, loginLimits(owner.user.email, owner.origin));
  if (await verifyPassword(known, given, signedInAsker(owner.user.id))) return;
  await countFailure(owner);
  throw wrongField('current_password', 'The password is wrong.');
}

/**
 * Makes sure that it is the owner who changes a second factor: by the password, or where the account has none by a code
 * or a passkey.
 * @throws AppError `malformed` naming the field, `too_many_requests`
 */
export async function verifyOwner(session: PersonSession, proof: SecondFactorProof): Promise<void> {
  const { id, email } = session.user;
  const known = (await findCredentials(email))?.password_hash ?? null;
  if (known !== null) return verifyOwnPassword(session, known, proof.current_password);
  const { code, passkey } = proof;
  if (code === undefined && !passkey)
    throw wrongField('code', 'Enter a code from your authenticator app or a recovery code, or use a passkey.');
  const limits = loginLimits(email, session.origin);
  const { refused } = await db.transaction(async (tx) => {
    await lockUser(tx, id);
    await assertNotLocked(tx, limits);
    const answer = passkey
      ? await acceptPasskeyAnswer(tx, id, passkey, await consumeOwnChallenge(tx, session, 'prove'))
      : (await consumeCode(tx, id, code ?? '')) === null && ({ refused: 'wrong_code' } as const);
    if (!answer) return { refused: null };
    await recordFailure(tx, limits);
    return answer;
  });
  if (refused === 'wrong_code') throw wrongField('code', 'The code is wrong or already used.');
  if (refused === 'wrong_passkey') throw wrongField('passkey', 'The passkey was not accepted. Try again.');
  if (refused === 'passkey_counter') throw wrongField('passkey', PASSKEY_COUNTER_MESSAGE);
}

/** Uses up the challenge that this sign-in got for a passkey. @returns null when there is none that is not over */
export const consumeOwnChallenge = (tx: Tx, session: PersonSession, purpose: 'add' | 'prove') =>
  consumePasskeyChallenge(
    tx,
    { user_id: session.user.id, family_id: session.family_id, purpose },
    clock.now().toISOString(),
  );

const notSet = () => new AppError('conflict', 'No second factor is set up.');

type OwnAction =
  | 'auth.recovery_codes_renewed'
  | 'auth.second_factor_removed'
  | 'auth.authenticator_removed'
  | 'auth.passkey_added'
  | 'auth.passkey_renamed'
  | 'auth.passkey_removed'
  | 'auth.second_factor_set_up';

/** Records a change of the user's own second factor. */
export function auditOwnFactor(
  tx: Tx,
  session: PersonSession,
  action: OwnAction,
  change: { before?: { passkey: string }; after?: { passkey?: string; ended_sessions?: number } } = {},
) {
  const { id, email } = session.user;
  const by = { actor: getActor(session), origin: session.origin };
  return recordAudit(tx, by, { action, object_kind: 'user', object_id: id, object_name: email, ...change });
}

/**
 * Makes new recovery codes; all earlier ones stop working. They are shown this once.
 * @throws AppError `conflict` without a second factor, `malformed` for a wrong password or code, `too_many_requests`
 */
export async function renewRecoveryCodes(session: PersonSession, proof: SecondFactorProof): Promise<RecoveryCodes> {
  const { id } = session.user;
  if (!(await isSecondFactorSet(db, id))) throw notSet();
  await verifyOwner(session, proof);
  const recovery_codes = newRecoveryCodes();
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    if (!(await isSecondFactorSet(tx, id))) throw notSet();
    await replaceRecoveryCodes(tx, id, recovery_codes.map(hashRecoveryCode));
    await auditOwnFactor(tx, session, 'auth.recovery_codes_renewed');
  });
  return { recovery_codes };
}

/**
 * What is left to do after one of the user's factors was removed: without any other, the second factor is off and its
 * recovery codes go.
 * @throws AppError `refused` while a role requires one
 */
export async function finishRemoval(tx: Tx, session: PersonSession): Promise<void> {
  const { id } = session.user;
  const found = await findUserWithRoles(tx, id, clock.now().toISOString());
  if (found?.second_factor.enrolled) return;
  const [role] = found?.second_factor.required_by ?? [];
  if (role !== undefined)
    throw new AppError('refused', `The role ${role} requires a second factor. You cannot turn it off.`);
  await deleteSecondFactor(tx, id);
  await auditOwnFactor(tx, session, 'auth.second_factor_removed');
}

/**
 * Switches the user's own second factor off: the authenticator app, all passkeys and the recovery codes.
 * @throws AppError `conflict` without one; `refused` while a role requires it; `malformed`, `too_many_requests`
 */
export async function removeSecondFactor(session: PersonSession, proof: SecondFactorProof): Promise<void> {
  const { id } = session.user;
  if (!(await isSecondFactorSet(db, id))) throw notSet();
  await verifyOwner(session, proof);
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    if (!(await deleteSecondFactor(tx, id))) throw notSet();
    await finishRemoval(tx, session);
  });
}

/**
 * Removes the user's own authenticator app. Passkeys stay; without any, the second factor is off.
 * @throws AppError as `removeSecondFactor`
 */
export async function removeAuthenticatorApp(session: PersonSession, proof: SecondFactorProof): Promise<void> {
  const { id } = session.user;
  const notThere = () => new AppError('conflict', 'No authenticator app is set up.');
  if (!(await findSecondFactor(db, id))?.confirmed_at) throw notThere();
  await verifyOwner(session, proof);
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    if (!(await deleteApp(tx, id))) throw notThere();
    await auditOwnFactor(tx, session, 'auth.authenticator_removed');
    await finishRemoval(tx, session);
  });
}

/** New recovery codes for a user who has none left; empty when some still work. Lock the user before. */
export async function ensureRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  if ((await countRecoveryCodes(tx, userId)) > 0) return [];
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(tx, userId, codes.map(hashRecoveryCode));
  return codes;
}

/** For this long after signing in, the user is not asked again for what they just proved. */
const FRESH_SECONDS = 600;

/** Whether the session's user signed in a moment ago. */
export async function isFresh(session: PersonSession): Promise<boolean> {
  const since = await findFamilyStart(db, session.user.id, session.family_id);
  return since !== null && clock.now().getTime() - Date.parse(since) <= FRESH_SECONDS * 1000;
}

/** The user's own second factor. */
export async function readSecondFactor(session: PersonSession): Promise<SecondFactorState> {
  const { id, email } = session.user;
  const [found, account, factor, recovery_codes_left, fresh, rows, site] = await Promise.all([
    findUserWithRoles(db, id, clock.now().toISOString()),
    findCredentials(email),
    findSecondFactor(db, id),
    countRecoveryCodes(db, id),
    isFresh(session),
    listPasskeyRows(db, id),
    readPasskeySite(db),
  ]);
  if (!found || !account) throw new AppError('unauthenticated', 'Sign in to continue.');
  const app_at = factor?.confirmed_at ?? null;
  const [enrolled_at = null] = [app_at, ...rows.map((row) => row.created_at)].filter((at) => at !== null).sort();
  return {
    enrolled_at,
    app_at,
    passkeys: rows.map(toPasskey),
    passkey_site: 'problem' in site ? { origin: null, rp_id: null, problem: site.problem } : { ...site, problem: null },
    recovery_codes_left,
    required_by: [...found.second_factor.required_by],
    has_password: account.password_hash !== null,
    proof_needed: !fresh,
  };
}

/** A stored passkey without what only signing in needs. */
export const toPasskey = ({ id, name, rp_id, synced, created_at, last_used_at }: PasskeyRow): Passkey => ({
  ...{ id, name, rp_id, synced, created_at, last_used_at },
});

/**
 * Makes sure that the user signed in a moment ago, or has the password, before something new can sign in as them.
 * @throws AppError `malformed` naming the field; `refused` for an account without password; `too_many_requests`
 */
export async function verifyFresh(session: PersonSession, given: string | undefined): Promise<void> {
  if (await isFresh(session)) return;
  const known = (await findCredentials(session.user.email))?.password_hash ?? null;
  if (known === null) throw new AppError('refused', 'You signed in too long ago. Sign out and sign in again first.');
  await verifyOwnPassword(session, known, given);
}

const alreadySet = () =>
  new AppError('conflict', 'An authenticator app is already set up. Remove it before you set up another one.');

/**
 * Makes a new secret for an authenticator app; nothing is asked for before it is confirmed. Beginning again replaces a
 * secret that was not.
 * @throws AppError `conflict` when one is set up; `malformed` when the sign-in is not fresh and the password missing or
 * wrong; `refused` for an account without password whose sign-in is not fresh
 */
export async function beginEnrollment(session: PersonSession, input: EnrolmentInput): Promise<Enrolment> {
  const { id, email } = session.user;
  await verifyFresh(session, input.current_password);
  const secret = newTotpSecret();
  const text = encodeBase32(secret);
  const { sealed, key_id } = seal(text, id);
  const stored = await db.transaction((tx) =>
    storePendingFactor(tx, {
      user_id: id,
      secret_encrypted: sealed,
      secret_key_id: key_id,
      created_at: clock.now().toISOString(),
    }),
  );
  if (!stored) throw alreadySet();
  return { secret: text, otpauth_uri: otpauthUri(secret, email) };
}

/**
 * Confirms the app with its first code. From now on every sign-in asks for one; all other sign-ins end. The recovery codes
 * are shown this once; earlier ones stay where a passkey was set up before.
 * @throws AppError `conflict` when nothing waits to be confirmed, `malformed` for a wrong code, `too_many_requests`
 */
export async function confirmEnrollment(
  session: PersonSession,
  { code }: EnrolmentConfirmation,
): Promise<RecoveryCodes> {
  const { id, email } = session.user;
  const limits = loginLimits(email, session.origin);
  const recovery_codes = await db.transaction(async (tx) => {
    await lockUser(tx, id);
    await assertNotLocked(tx, limits);
    const factor = await findSecondFactor(tx, id);
    if (factor?.confirmed_at) throw alreadySet();
    if (!factor) throw new AppError('conflict', 'No setup is waiting for confirmation. Start again.');
    const at = clock.now();
    const secret = decodeBase32(unseal({ sealed: factor.secret_encrypted, key_id: factor.secret_key_id }, id));
    const step = matchTotp(secret, code, at, factor.last_step);
    if (step === null || !(await consumeTimeStep(tx, id, step, at.toISOString()))) {
      await recordFailure(tx, limits);
      return null;
    }
    const codes = await ensureRecoveryCodes(tx, id);
    await setFamilySecondFactor(tx, session.family_id, 'totp');
    const ended_sessions = await endSessions(tx, id, session.family_id);
    await auditOwnFactor(tx, session, 'auth.second_factor_set_up', { after: { ended_sessions } });
    return codes;
  });
  if (!recovery_codes) throw wrongField('code', 'The code is wrong. Check that the clock of your phone is correct.');
  return { recovery_codes };
}

/**
 * Removes the second factor of a user who lost it; all their sign-ins end. Where a role requires one, they have to
 * set up another at the next sign-in.
 * @throws AppError `not_found`; `conflict` without one, or for oneself; `forbidden` for a user with permissions that
 * the actor lacks, and for API tokens
 */
export async function resetSecondFactor(scope: Scope<'user:write'>, userId: string): Promise<User> {
  assertNoToken(scope, 'end sessions');
  return db.transaction(async (tx) => {
    const row = await lockUser(tx, userId);
    if (!row) throw notFound('user');
    if (scope.actor.id === userId) {
      throw new AppError(
        'conflict',
        'This is your own account. Turn off its second factor on your account page, with your password.',
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
