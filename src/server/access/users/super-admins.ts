import type { Tx } from '../../db/client';
import { AppError } from '../../lib/errors';
import { countSuperAdmins } from '../queries/user-list';

/**
 * Call after a change that may have taken the last one away, under `lockSuperAdmins`; the transaction then undoes it.
 * Roles that end some day do not count, nor accounts that only a sign-in provider lets in: the installation would lock itself then.
 * @throws AppError `conflict`
 */
export async function assertSuperAdminLeft(tx: Tx): Promise<void> {
  if ((await countSuperAdmins(tx)) > 0) return;
  throw new AppError(
    'conflict',
    'Nobody would be super administrator any more. Make somebody else one first, without an end date, who can sign in with a password.',
  );
}
