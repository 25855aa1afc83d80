import { AppError } from '../../lib/errors';

/** The answer to a name that another group of the tenant has. */
export function groupNameTaken(name: string): AppError {
  return new AppError('conflict', `A security group named ${name} exists already.`, {
    errors: [{ field: 'name', message: 'Choose another name.' }],
  });
}
