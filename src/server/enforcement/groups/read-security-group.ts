import type { SecurityGroup } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { findSecurityGroup } from '../queries/security-groups';

/** @throws AppError `not_found` */
export async function readSecurityGroup(scope: Scope<'group:read'>, id: string): Promise<SecurityGroup> {
  const group = await findSecurityGroup(db, scope.reach, id);
  if (!group) throw notFound('security group');
  return group;
}
