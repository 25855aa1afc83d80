import { AppError } from '../lib/errors';
import { isCommonPassword } from './common-passwords';
import { hashPassword } from './password';

/**
 * The hash of a password that somebody chooses, unless it is a common one. The rest of what a password must be the schema
 * says (`NewPassword`), also in the browser, which does not get the list of common ones.
 * @param field where the password stands in the input
 * @throws AppError `malformed` naming the field
 */
export async function hashNewPassword(password: string, field: string): Promise<string> {
  if (await isCommonPassword(password)) {
    const message = 'This password is among those tried first. Choose another one.';
    throw new AppError('malformed', message, { errors: [{ field, message }] });
  }
  return hashPassword(password);
}
