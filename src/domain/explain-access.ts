import { type Grantable, PERMISSION_REACH, PERMISSIONS } from './permissions';
import type { Assignment, UserAccess } from './user';

type Held = Assignment & { permissions: readonly string[] };
type Explained = { id: string; active: boolean; second_factor_at: string | null; second_factor_required: boolean };
type AnyRole = { id: string; title: string; permissions: readonly string[] };

const hasPermission = ({ permissions }: { permissions: readonly string[] }, permission: string) =>
  permissions.includes('*') || permissions.includes(permission);

/** What an assignment that counts now does for a permission that can be held so far. */
function getEffect(
  { tenant_id, project_id }: Pick<Assignment, 'tenant_id' | 'project_id'>,
  reach: 'platform' | 'tenant' | 'project',
) {
  if (tenant_id !== null && reach === 'platform') return 'platform_only' as const;
  return project_id !== null && reach === 'tenant' ? ('tenant_only' as const) : ('gives' as const);
}

const toSortedList = (named: ReadonlyMap<string, string>) =>
  [...named].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name, 'en'));

/**
 * What the assignments of a user come to, permission by permission, and which of them matter for each: also those that
 * would give it, but have expired or are held where they mean nothing. `roles` are all that could be given.
 */
export function explainAccess(
  user: Explained,
  assignments: readonly Held[],
  roles: readonly AnyRole[] = [],
): UserAccess {
  const holding = (permission: Grantable) => assignments.filter((held) => hasPermission(held, permission));
  const rows = ([...PERMISSIONS, '*'] as const).map((permission) => {
    const reach = permission === '*' ? 'platform' : PERMISSION_REACH[permission];
    const reasons = holding(permission).map(({ expired, id, ...held }) => ({
      assignment_id: id,
      role: held.role,
      role_title: held.role_title,
      tenant_id: held.tenant_id,
      tenant_name: held.tenant_name,
      project_id: held.project_id,
      project_name: held.project_name,
      effect: expired ? ('expired' as const) : getEffect(held, reach),
    }));
    const giving = user.active ? reasons.filter(({ effect }) => effect === 'gives') : [];
    const everywhere = giving.some(({ tenant_id }) => tenant_id === null);
    const whole = giving.filter(({ project_id }) => project_id === null);
    const tenants = new Map(whole.map(({ tenant_id, tenant_name }) => [tenant_id ?? '', tenant_name ?? '']));
    const projects = new Map(
      giving.flatMap(({ tenant_id, project_id, project_name }) =>
        project_id === null || tenants.has(tenant_id ?? '') ? [] : [[project_id, project_name ?? ''] as const],
      ),
    );
    return {
      permission,
      reach,
      granted: everywhere ? ('all' as const) : giving.length > 0 ? ('tenants' as const) : ('none' as const),
      tenants: everywhere ? [] : toSortedList(tenants),
      projects: everywhere ? [] : toSortedList(projects),
      reasons,
      roles: roles.filter((role) => hasPermission(role, permission)).map(({ id, title }) => ({ id, title })),
    };
  });
  return {
    user_id: user.id,
    active: user.active,
    second_factor_missing: user.second_factor_required && user.second_factor_at === null,
    permissions: rows,
  };
}
