import { isWithinReach, type Reach } from '@/domain/permissions';
import type { SecurityGroupUsage } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { findSecurityGroup, type GroupUser, listGroupUsers } from '../queries/security-groups';

/** What of a group's uses those with this reach may learn; `endpoints` are the texts that name the group. */
export function usageOf(users: readonly GroupUser[], endpoints: readonly string[], reach: Reach): SecurityGroupUsage {
  const visible = users.filter((policy) => isWithinReach(policy, reach));
  const named = (side: 'source' | 'target', list: readonly string[]) =>
    list.filter((endpoint) => endpoints.includes(endpoint)).map((endpoint) => ({ side, endpoint }));
  return {
    policies: visible.map(({ policy_id, name, enabled, definition }) => ({
      policy_id,
      name,
      enabled,
      enforcement_mode: definition.enforcement_mode,
      references: [...named('source', definition.sources), ...named('target', definition.targets)],
    })),
    hidden: users.length - visible.length,
  };
}

/**
 * The policies that name a group.
 * @throws AppError `not_found`
 */
export async function readGroupUsage(scope: Scope<'group:read'>, id: string): Promise<SecurityGroupUsage> {
  const group = await findSecurityGroup(db, scope.reach, id);
  // Of a group that only touches a project, its uses elsewhere are none of the project's business.
  if (!group || !isWithinReach(group, scope.reach)) throw notFound('security group');
  return usageOf(await listGroupUsers(db, id), [`sg:${group.id}`, `sg:${group.name}`], scope.reach);
}
