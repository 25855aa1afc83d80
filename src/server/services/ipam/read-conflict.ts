import type { IpamConflict } from '@/domain/ipam/conflict';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findConflict } from '../../repositories/ipam-conflicts';
import { noSuch } from './ipam-errors';

/** @throws AppError `not_found` */
export async function readConflict(scope: Scope<'ipam:read'>, id: string): Promise<IpamConflict> {
  const conflict = await findConflict(db, scope.reach, id);
  if (!conflict) throw noSuch.conflict();
  return conflict;
}
