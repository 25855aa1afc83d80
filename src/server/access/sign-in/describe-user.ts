import type { CurrentUser } from '@/domain/auth';
import { type Grantable, isGranted, PERMISSIONS } from '@/domain/permissions';
import type { Executor } from '../../db/client';
import { listTenantNames } from '../../tenancy/queries/tenants';
import type { UserWithRoles } from '../queries/users';

const EVERYTHING: readonly Grantable[] = ['*', ...PERMISSIONS];

/**
 * The user as the pages and API clients see themselves: effective permissions, roles as held, tenants within reach. Who
 * has to set up a second factor first has nothing until then.
 */
export async function describeUser(
  executor: Executor,
  found: UserWithRoles,
  must_enrol: boolean,
): Promise<CurrentUser> {
  const { user } = found;
  if (must_enrol) return { ...user, must_enrol, permissions: [], grants: [], tenants: [], all_tenants: false };
  const { grants } = found;
  const everywhere = grants.some((grant) => grant.tenant_id === null);
  const named = new Map(grants.flatMap((g) => (g.tenant_id && g.tenant_name ? [[g.tenant_id, g.tenant_name]] : [])));
  const tenants = everywhere
    ? await listTenantNames(executor, 1000)
    : [...named].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return {
    ...user,
    must_enrol,
    permissions: EVERYTHING.filter((permission) => isGranted(grants, permission)),
    grants: grants.map(({ role, title, tenant_id, project_id, project_name, permissions }) => ({
      role,
      title,
      tenant_id,
      project_id,
      project_name,
      permissions: [...permissions],
    })),
    tenants,
    all_tenants: everywhere,
  };
}
