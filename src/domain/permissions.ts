/**
 * What can be permitted, and who can hold it where. `platform` things (clusters, users, settings) belong to the
 * installation: holding such a permission for one tenant only gives nothing. `tenant` things can be held for some tenants.
 */
export const PERMISSION_REACH = {
  'cluster:read': 'platform',
  'cluster:write': 'platform',
  'cluster:sync': 'platform',
  'workload:read': 'tenant',
  'workload:write': 'tenant',
  'ipam:read': 'tenant',
  'ipam:write': 'platform',
  'ipam:discover': 'platform',
  'group:read': 'tenant',
  'group:write': 'tenant',
  'policy:read': 'tenant',
  'policy:write': 'tenant',
  'policy:apply': 'tenant',
  'flow:read': 'tenant',
  'agent:read': 'platform',
  'agent:install': 'platform',
  'user:read': 'platform',
  'user:write': 'platform',
  'role:read': 'platform',
  'role:write': 'platform',
  'tenant:read': 'tenant',
  'tenant:write': 'platform',
  'project:read': 'tenant',
  'project:write': 'tenant',
  'mapping:read': 'platform',
  'mapping:write': 'platform',
  'audit:read': 'tenant',
  'notification:read': 'tenant',
  'notification:write': 'tenant',
  'notification:mark': 'tenant',
  'job:read': 'platform',
  'settings:read': 'platform',
} as const satisfies Record<string, 'platform' | 'tenant'>;

export type Permission = keyof typeof PERMISSION_REACH;
export const PERMISSIONS = Object.keys(PERMISSION_REACH) as Permission[];

/** What a role's permission set may hold: permissions, or `*` for a super administrator. */
export type Grantable = Permission | '*';

/** Where something holds: the whole installation, or the tenants named (ids). An empty list is nowhere. */
export type TenantReach = 'all' | readonly string[];

/** One role held by a user; `tenant_id` null means platform-wide. */
export type RoleGrant = { role: string; permissions: readonly string[]; tenant_id: string | null };

/**
 * Where the grants give `permission`. Settings updates and other `*`-only operations ask with `'*'`.
 * Unknown strings in a stored permission set give nothing.
 */
export function reachOf(grants: readonly RoleGrant[], permission: Grantable): TenantReach {
  const tenants = new Set<string>();
  for (const grant of grants) {
    if (!grant.permissions.includes('*') && !grant.permissions.includes(permission)) continue;
    if (grant.tenant_id === null) return 'all';
    if (permission !== '*' && PERMISSION_REACH[permission] === 'tenant') tenants.add(grant.tenant_id);
  }
  return [...tenants].sort();
}

/** Whether the grants give the permission anywhere. */
export function isGranted(grants: readonly RoleGrant[], permission: Grantable): boolean {
  const reach = reachOf(grants, permission);
  return reach === 'all' || reach.length > 0;
}

const READS = PERMISSIONS.filter((p) => p.endsWith(':read'));
const without = (list: readonly Permission[], ...gone: Permission[]) => list.filter((p) => !gone.includes(p));

/** Roles every installation has; they cannot be changed or deleted. */
export const BUILT_IN_ROLES = {
  super_admin: { title: 'Super administrator', permissions: ['*'] },
  admin: { title: 'Administrator', permissions: PERMISSIONS },
  security_engineer: {
    title: 'Security engineer',
    permissions: [
      ...without(READS, 'user:read', 'role:read', 'settings:read'),
      'group:write',
      'policy:write',
      'policy:apply',
      'workload:write',
      'notification:mark',
    ],
  },
  network_operator: {
    title: 'Network operator',
    permissions: [
      ...without(READS, 'user:read', 'role:read', 'settings:read', 'audit:read'),
      'cluster:write',
      'cluster:sync',
      'ipam:write',
      'ipam:discover',
      'agent:install',
      'workload:write',
      'notification:mark',
    ],
  },
  viewer: {
    title: 'Viewer',
    permissions: [
      ...without(READS, 'user:read', 'role:read', 'settings:read', 'audit:read', 'notification:read'),
      'notification:mark',
    ],
  },
  auditor: { title: 'Auditor', permissions: [...READS, 'notification:mark'] },
} as const satisfies Record<string, { title: string; permissions: readonly Grantable[] }>;

export type BuiltInRole = keyof typeof BUILT_IN_ROLES;
