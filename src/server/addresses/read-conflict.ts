import type { IpamConflict } from '@/domain/ipam/conflict';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { notFound } from '../lib/refusals';
import { findConflict } from './queries/ipam-conflicts';

/** @throws AppError `not_found` */
export async function readConflict(scope: Scope<'ipam:read'>, id: string): Promise<IpamConflict> {
  const conflict = await findConflict(db, scope.reach, id);
  if (!conflict) throw notFound('conflict');
  return conflict;
}
