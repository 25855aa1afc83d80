import type { TenantReach } from '@/domain/permissions';
import type { SecurityGroupUsage } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findSecurityGroup, type GroupUser, listGroupUsers } from '../../repositories/security-groups';
import { noSuchGroup } from './no-such-group';

/** What of a group's uses those with this reach may learn; `endpoints` are the texts that name the group. */
export function usageOf(
  users: readonly GroupUser[],
  endpoints: readonly string[],
  reach: TenantReach,
): SecurityGroupUsage {
  const visible = users.filter(({ tenant_id }) => reach === 'all' || (tenant_id !== null && reach.includes(tenant_id)));
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
  const group = await findSecurityGroup(db, scope.tenants, id);
  if (!group) throw noSuchGroup();
  return usageOf(await listGroupUsers(db, id), [`sg:${group.id}`, `sg:${group.name}`], scope.tenants);
}
