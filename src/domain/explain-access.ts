import { type Grantable, PERMISSION_REACH, PERMISSIONS } from './permissions';
import type { Assignment, UserAccess } from './user';

type Held = Assignment & { permissions: readonly string[] };
type Explained = { id: string; active: boolean; second_factor_at: string | null; second_factor_required: boolean };
type AnyRole = { id: string; title: string; permissions: readonly string[] };

const has = ({ permissions }: { permissions: readonly string[] }, permission: string) =>
  permissions.includes('*') || permissions.includes(permission);

/**
 * What the assignments of a user come to, permission by permission, and which of them matter for each: also those that
 * would give it, but have expired or are held where they mean nothing. `roles` are all that could be given.
 */
export function explainAccess(
  user: Explained,
  assignments: readonly Held[],
  roles: readonly AnyRole[] = [],
): UserAccess {
  const holding = (permission: Grantable) => assignments.filter((held) => has(held, permission));
  const rows = ([...PERMISSIONS, '*'] as const).map((permission) => {
    const reach = permission === '*' ? 'platform' : PERMISSION_REACH[permission];
    const reasons = holding(permission).map(({ id, role, role_title, tenant_id, tenant_name, expired }) => ({
      assignment_id: id,
      role,
      role_title,
      tenant_id,
      tenant_name,
      effect: expired
        ? ('expired' as const)
        : tenant_id !== null && reach === 'platform'
          ? ('platform_only' as const)
          : ('gives' as const),
    }));
    const giving = user.active ? reasons.filter(({ effect }) => effect === 'gives') : [];
    const everywhere = giving.some(({ tenant_id }) => tenant_id === null);
    const tenants = new Map(giving.map(({ tenant_id, tenant_name }) => [tenant_id ?? '', tenant_name ?? '']));
    return {
      permission,
      reach,
      granted: everywhere ? ('all' as const) : giving.length > 0 ? ('tenants' as const) : ('none' as const),
      tenants: everywhere
        ? []
        : [...tenants].map(([id, name]) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name, 'en')),
      reasons,
      roles: roles.filter((role) => has(role, permission)).map(({ id, title }) => ({ id, title })),
    };
  });
  return {
    user_id: user.id,
    active: user.active,
    second_factor_missing: user.second_factor_required && user.second_factor_at === null,
    permissions: rows,
  };
}
