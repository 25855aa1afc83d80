import { AppError } from '../../lib/errors';

/** The answer to a name that another cluster has. */
export function nameTaken(name: string): AppError {
  return new AppError('conflict', `A cluster named ${name} exists already.`, {
    errors: [{ field: 'name', message: 'Choose another name.' }],
  });
}
