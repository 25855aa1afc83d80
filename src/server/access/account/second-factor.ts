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
import { findFamilyStart, setFamilySecondFactor } from '../queries/refresh-tokens';
import {
  consumeTimeStep,
  countRecoveryCodes,
  deleteSecondFactor,
  findSecondFactor,
  replaceRecoveryCodes,
  storePendingFactor,
} from '../queries/second-factors';
import { findAssignments, findUser, lockUser } from '../queries/user-list';
import { findCredentials, findUserWithRoles } from '../queries/users';
import { consumeCode } from '../sign-in/challenge';
import { signedInAsker } from '../sign-in/checks';
import { verifyPassword } from '../sign-in/passwords';
import { endSessions } from '../sign-in/sessions';
import { assertMayGrant, assertNoToken } from '../users/may-grant';

export const wrongField = (field: 'current_password' | 'code', message: string) =>
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
 * Makes sure that it is the owner who changes a second factor: by the password, or where the account has none by a code.
 * @throws AppError `malformed` naming the field, `too_many_requests`
 */
export async function verifyOwner(session: PersonSession, proof: SecondFactorProof): Promise<void> {
  const { id, email } = session.user;
  const known = (await findCredentials(email))?.password_hash ?? null;
  if (known !== null) return verifyOwnPassword(session, known, proof.current_password);
  const { code } = proof;
  if (code === undefined) throw wrongField('code', 'Enter a code from your authenticator app, or a recovery code.');
  const limits = loginLimits(email, session.origin);
  const used = await db.transaction(async (tx) => {
    await lockUser(tx, id);
    await assertNotLocked(tx, limits);
    const kind = await consumeCode(tx, id, code);
    if (!kind) await recordFailure(tx, limits);
    return kind;
  });
  if (!used) throw wrongField('code', 'The code is wrong or already used.');
}

const notSet = () => new AppError('conflict', 'No second factor is set up.');

function audit(tx: Tx, session: PersonSession, action: 'auth.recovery_codes_renewed' | 'auth.second_factor_removed') {
  const { id, email } = session.user;
  const by = { actor: getActor(session), origin: session.origin };
  return recordAudit(tx, by, { action, object_kind: 'user', object_id: id, object_name: email });
}

/**
 * Makes new recovery codes; all earlier ones stop working. They are shown this once.
 * @throws AppError `conflict` without a second factor, `malformed` for a wrong password or code, `too_many_requests`
 */
export async function renewRecoveryCodes(session: PersonSession, proof: SecondFactorProof): Promise<RecoveryCodes> {
  const { id } = session.user;
  if (!(await findSecondFactor(db, id))?.confirmed_at) throw notSet();
  await verifyOwner(session, proof);
  const recovery_codes = newRecoveryCodes();
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    if (!(await findSecondFactor(tx, id))?.confirmed_at) throw notSet();
    await replaceRecoveryCodes(tx, id, recovery_codes.map(hashRecoveryCode));
    await audit(tx, session, 'auth.recovery_codes_renewed');
  });
  return { recovery_codes };
}

/**
 * Switches the user's own second factor off and deletes its recovery codes.
 * @throws AppError `conflict` without one; `refused` while a role requires it; `malformed`, `too_many_requests`
 */
export async function removeSecondFactor(session: PersonSession, proof: SecondFactorProof): Promise<void> {
  const { id } = session.user;
  if (!(await findSecondFactor(db, id))?.confirmed_at) throw notSet();
  await verifyOwner(session, proof);
  await db.transaction(async (tx) => {
    await lockUser(tx, id);
    const found = await findUserWithRoles(tx, id, clock.now().toISOString());
    const [role] = found?.second_factor.required_by ?? [];
    if (role !== undefined)
      throw new AppError('refused', `The role ${role} requires a second factor. You cannot turn it off.`);
    if (!(await deleteSecondFactor(tx, id))) throw notSet();
    await audit(tx, session, 'auth.second_factor_removed');
  });
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
  const [found, account, factor, recovery_codes_left, fresh] = await Promise.all([
    findUserWithRoles(db, id, clock.now().toISOString()),
    findCredentials(email),
    findSecondFactor(db, id),
    countRecoveryCodes(db, id),
    isFresh(session),
  ]);
  if (!found || !account) throw new AppError('unauthenticated', 'Sign in to continue.');
  return {
    enrolled_at: factor?.confirmed_at ?? null,
    recovery_codes_left,
    required_by: [...found.second_factor.required_by],
    has_password: account.password_hash !== null,
    proof_needed: !fresh,
  };
}

const alreadySet = () =>
  new AppError('conflict', 'A second factor is already set up. Turn it off before you set up another one.');

/**
 * Makes a new secret for an authenticator app; nothing is asked for before it is confirmed. Beginning again replaces a
 * secret that was not.
 * @throws AppError `conflict` when one is set up; `malformed` when the sign-in is not fresh and the password missing or
 * wrong; `refused` for an account without password whose sign-in is not fresh
 */
export async function beginEnrollment(session: PersonSession, input: EnrolmentInput): Promise<Enrolment> {
  const { id, email } = session.user;
  if (!(await isFresh(session))) {
    const known = (await findCredentials(email))?.password_hash ?? null;
    if (known === null) throw new AppError('refused', 'You signed in too long ago. Sign out and sign in again first.');
    await verifyOwnPassword(session, known, input.current_password);
  }
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
 * are shown this once.
 * @throws AppError `conflict` when nothing waits to be confirmed, `malformed` for a wrong code, `too_many_requests`
 */
export async function confirmEnrollment(
  session: PersonSession,
  { code }: EnrolmentConfirmation,
): Promise<RecoveryCodes> {
  const { id, email } = session.user;
  const limits = loginLimits(email, session.origin);
  const recovery_codes = newRecoveryCodes();
  const confirmed = await db.transaction(async (tx) => {
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
      return false;
    }
    await replaceRecoveryCodes(tx, id, recovery_codes.map(hashRecoveryCode));
    await setFamilySecondFactor(tx, session.family_id, 'totp');
    const ended_sessions = await endSessions(tx, id, session.family_id);
    await recordAudit(
      tx,
      { actor: getActor(session), origin: session.origin },
      {
        action: 'auth.second_factor_set_up',
        object_kind: 'user',
        object_id: id,
        object_name: email,
        after: { ended_sessions },
      },
    );
    return true;
  });
  if (!confirmed) throw wrongField('code', 'The code is wrong. Check that the clock of your phone is correct.');
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
