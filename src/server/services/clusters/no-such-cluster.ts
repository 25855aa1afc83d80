import { AppError } from '../../lib/errors';

/** The answer to an id that names no cluster. */
export const noSuchCluster = () => new AppError('not_found', 'There is no such cluster. It may have been deleted.');
