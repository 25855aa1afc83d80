import type { Enrolment, EnrolmentConfirmation, EnrolmentInput, RecoveryCodes } from '@/domain/second-factor';
import { recordAudit } from '../../audit/record';
import { assertMayTry, loginLimits, recordFailure } from '../../auth/attempt-limits';
import { decodeBase32, encodeBase32 } from '../../auth/base32';
import { actorOf, type PersonSession } from '../../auth/scope';
import { matchTotp, newTotpSecret, otpauthUri } from '../../auth/totp';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { seal, unseal } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import { setFamilySecondFactor } from '../queries/refresh-tokens';
import { findSecondFactor, replaceRecoveryCodes, spendStep, storePendingFactor } from '../queries/second-factors';
import { lockUser } from '../queries/user-list';
import { findCredentials } from '../queries/users';
import { hashRecoveryCode, newRecoveryCodes } from '../sign-in/recovery-codes';
import { endSessions } from '../users/end-sessions';
import { isFresh } from './read-second-factor';
import { verifyOwnPassword, wrongField } from './verify-owner';

const alreadySet = () =>
  new AppError('conflict', 'A second factor is set up already. Switch it off before you set up another one.');

/**
 * Makes a new secret for an authenticator app; nothing is asked for before it is confirmed. Beginning again replaces a
 * secret that was not.
 * @throws AppError `conflict` when one is set up; `malformed` when the sign-in is not fresh and the password missing or
 * wrong; `refused` for an account without password whose sign-in is not fresh
 */
export async function beginEnrolment(session: PersonSession, input: EnrolmentInput): Promise<Enrolment> {
  const { id, email } = session.user;
  if (!(await isFresh(session))) {
    const known = (await findCredentials(email))?.password_hash ?? null;
    if (known === null) throw new AppError('refused', 'Sign out and in again first: you signed in too long ago.');
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
export async function confirmEnrolment(
  session: PersonSession,
  { code }: EnrolmentConfirmation,
): Promise<RecoveryCodes> {
  const { id, email } = session.user;
  const limits = loginLimits(email, session.origin);
  const recovery_codes = newRecoveryCodes();
  const confirmed = await db.transaction(async (tx) => {
    await lockUser(tx, id);
    await assertMayTry(tx, limits);
    const factor = await findSecondFactor(tx, id);
    if (factor?.confirmed_at) throw alreadySet();
    if (!factor) throw new AppError('conflict', 'Nothing waits to be confirmed. Begin again.');
    const at = clock.now();
    const secret = decodeBase32(unseal({ sealed: factor.secret_encrypted, key_id: factor.secret_key_id }, id));
    const step = matchTotp(secret, code, at, factor.last_step);
    if (step === null || !(await spendStep(tx, id, step, at.toISOString()))) {
      await recordFailure(tx, limits);
      return false;
    }
    await replaceRecoveryCodes(tx, id, recovery_codes.map(hashRecoveryCode));
    await setFamilySecondFactor(tx, session.family_id, 'totp');
    const ended_sessions = await endSessions(tx, id, session.family_id);
    await recordAudit(
      tx,
      { actor: actorOf(session), origin: session.origin },
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
  if (!confirmed) throw wrongField('code', 'The code is wrong. Check that the clock of your phone is right.');
  return { recovery_codes };
}
