import { AppError } from '../../lib/errors';

export const noSuchUser = () => new AppError('not_found', 'There is no such user. The account may have been deleted.');
