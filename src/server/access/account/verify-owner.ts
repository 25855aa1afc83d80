import type { SecondFactorProof } from '@/domain/second-factor';
import { assertMayTry, loginLimits, recordFailure } from '../../auth/attempt-limits';
import type { Origin, PersonSession } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { lockUser } from '../queries/user-list';
import { findCredentials } from '../queries/users';
import { verifyPassword } from '../sign-in/password';
import { signedInAsker } from '../sign-in/password-asker';
import { spendCode } from './spend-code';

export const wrongField = (field: 'current_password' | 'code', message: string) =>
  new AppError('malformed', message, { errors: [{ field, message }] });

/** Whose password is asked for, and where from. */
export type Owner = { readonly user: { readonly id: string; readonly email: string }; readonly origin: Origin };

/** Counts a wrong answer like a failed sign-in: an unattended browser is no place to guess at. */
async function countWrong(owner: Owner): Promise<void> {
  await db.transaction((tx) => recordFailure(tx, loginLimits(owner.user.email, owner.origin)));
}

/** Asks for the password that the account has. @throws AppError `malformed` naming the field, `too_many_requests` */
export async function verifyOwnPassword(owner: Owner, known: string, given: string | undefined): Promise<void> {
  if (given === undefined) throw wrongField('current_password', 'Enter the password you have now.');
  await assertMayTry(db, loginLimits(owner.user.email, owner.origin));
  if (await verifyPassword(known, given, signedInAsker(owner.user.id))) return;
  await countWrong(owner);
  throw wrongField('current_password', 'This is not your password.');
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
  if (code === undefined) throw wrongField('code', 'Enter a code of your app, or a recovery code.');
  const limits = loginLimits(email, session.origin);
  const used = await db.transaction(async (tx) => {
    await lockUser(tx, id);
    await assertMayTry(tx, limits);
    const kind = await spendCode(tx, id, code);
    if (!kind) await recordFailure(tx, limits);
    return kind;
  });
  if (!used) throw wrongField('code', 'The code is wrong or was used already.');
}
