import { AppError } from '../../lib/errors';

/** The answer to an id that names no policy, or one of a tenant out of reach. */
export const noSuchPolicy = () => new AppError('not_found', 'There is no such policy. It may have been deleted.');
