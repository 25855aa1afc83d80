import type { SecurityGroup } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findSecurityGroup } from '../../repositories/security-groups';
import { noSuchGroup } from './no-such-group';

/** @throws AppError `not_found` */
export async function readSecurityGroup(scope: Scope<'group:read'>, id: string): Promise<SecurityGroup> {
  const group = await findSecurityGroup(db, scope.reach, id);
  if (!group) throw noSuchGroup();
  return group;
}
