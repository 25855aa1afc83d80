import { AppError } from '../../lib/errors';

/** The answer to a name that another policy of the tenant has. */
export function policyNameConflict(name: string): AppError {
  return new AppError('conflict', `A policy named ${name} exists already.`, {
    errors: [{ field: 'name', message: 'Choose another name.' }],
  });
}
