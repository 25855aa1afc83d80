import { AppError } from '../../lib/errors';

/** The answer to an id that names no group, or one of a tenant out of reach. */
export const noSuchGroup = () =>
  new AppError('not_found', 'There is no such security group. It may have been deleted.');
