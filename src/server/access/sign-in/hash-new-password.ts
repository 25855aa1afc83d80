import { env } from '../../lib/env';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { isBreachedPassword } from './breached-passwords';
import { isCommonPassword } from './common-passwords';
import { hashPassword } from './password';
import type { PasswordAsker } from './password-asker';

async function isListed(path: string, password: string): Promise<boolean> {
  try {
    return await isBreachedPassword(path, password);
  } catch (cause) {
    logger.error({ err: cause }, 'the list of breached passwords cannot be read');
    // Taking the password unseen would switch the check off where somebody counts on it.
    throw new AppError(
      'unavailable',
      'The list of breached passwords cannot be read. An administrator of the server has to mend FABRIC_BREACHED_PASSWORDS.',
      { cause },
    );
  }
}

/**
 * The hash of a password that somebody chooses, unless it is a common or, where there is a list, a breached one. The rest of what a password must be the schema
 * says (`NewPassword`), also in the browser, which does not get the list of common ones.
 * @param field where the password stands in the input
 * @throws AppError `malformed` naming the field; `unavailable` when the list of breached passwords cannot be read
 */
export async function hashNewPassword(password: string, field: string, asker?: PasswordAsker): Promise<string> {
  if (await isCommonPassword(password)) {
    const message = 'This password is among those tried first. Choose another one.';
    throw new AppError('malformed', message, { errors: [{ field, message }] });
  }
  const list = env().FABRIC_BREACHED_PASSWORDS;
  if (list !== undefined && (await isListed(list, password))) {
    const message = 'This password is known from a data breach. Choose another one.';
    throw new AppError('malformed', message, { errors: [{ field, message }] });
  }
  return hashPassword(password, asker);
}
