/**
 * What can be permitted: who can hold it where, and which built-in roles have it besides those of administrators. `platform`
 * things (clusters, users, settings) belong to the installation: holding such a permission for one tenant only gives nothing.
 * `tenant` things can be held for some tenants, `project` things for single projects as well.
 */
const DECLARED = {
  'cluster:read': ['platform', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'cluster:write': ['platform', 'network_operator'],
  'cluster:sync': ['platform', 'network_operator'],
  'workload:read': ['project', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'workload:write': ['tenant', 'security_engineer', 'network_operator'],
  'ipam:read': ['project', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'ipam:write': ['platform', 'network_operator'],
  'ipam:discover': ['platform', 'network_operator'],
  'group:read': ['project', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'group:write': ['project', 'security_engineer'],
  'policy:read': ['project', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'policy:write': ['project', 'security_engineer'],
  'policy:apply': ['project', 'security_engineer'],
  'change:approve': ['project', 'security_engineer'],
  'change:break_glass': ['project'],
  'policy_test:read': ['project', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'policy_test:write': ['project', 'security_engineer'],
  'policy_test:override': ['project'],
  'policy_test:protect': ['platform'],
  'flow:read': ['project', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'agent:read': ['platform', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'agent:install': ['platform', 'network_operator'],
  'user:read': ['platform', 'auditor'],
  'user:write': ['platform'],
  'role:read': ['platform', 'auditor'],
  'role:write': ['platform'],
  'tenant:read': ['tenant', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'tenant:write': ['platform'],
  'project:read': ['project', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'project:write': ['tenant'],
  'mapping:read': ['platform', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'mapping:write': ['platform'],
  'audit:read': ['tenant', 'security_engineer', 'auditor'],
  'notification:read': ['tenant', 'security_engineer', 'network_operator', 'auditor'],
  'notification:write': ['tenant'],
  'notification:mark': ['tenant', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'job:read': ['platform', 'security_engineer', 'network_operator', 'viewer', 'auditor'],
  'settings:read': ['platform', 'auditor'],
} as const satisfies Record<
  string,
  readonly ['platform' | 'tenant' | 'project', ...('security_engineer' | 'network_operator' | 'viewer' | 'auditor')[]]
>;

export type Permission = keyof typeof DECLARED;
export const PERMISSIONS = Object.keys(DECLARED) as Permission[];
export const PERMISSION_REACH = Object.fromEntries(PERMISSIONS.map((one) => [one, DECLARED[one][0]])) as {
  readonly [P in Permission]: (typeof DECLARED)[P][0];
};

/** What a role's permission set may hold: permissions, or `*` for a super administrator. */
export type Grantable = Permission | '*';

/** Where something holds: the whole installation, or the tenants named (ids). An empty list is nowhere. */
export type TenantReach = 'all' | readonly string[];

/** Single projects besides whole tenants. */
export type ProjectReach = { readonly tenants: readonly string[]; readonly projects: readonly string[] };

/** Where something holds, single projects included. What takes a `TenantReach` knows nothing of projects. */
export type Reach = TenantReach | ProjectReach;

/** One role held by a user; `tenant_id` null means platform-wide, `project_id` null the whole tenant. */
export type RoleGrant = {
  role: string;
  permissions: readonly string[];
  tenant_id: string | null;
  project_id: string | null;
};

/**
 * Where the grants give `permission`. Settings updates and other `*`-only operations ask with `'*'`.
 * Unknown strings in a stored permission set give nothing.
 */
export function computeReach(grants: readonly RoleGrant[], permission: Grantable): Reach {
  const tenants = new Set<string>();
  const projects = new Map<string, string | null>();
  const held = permission === '*' ? 'platform' : PERMISSION_REACH[permission];
  for (const grant of grants) {
    if (!grant.permissions.includes('*') && !grant.permissions.includes(permission)) continue;
    if (grant.tenant_id === null && grant.project_id === null) return 'all';
    if (grant.project_id !== null) {
      if (held === 'project') projects.set(grant.project_id, grant.tenant_id);
    } else if (grant.tenant_id !== null && held !== 'platform') tenants.add(grant.tenant_id);
  }
  const whole = [...tenants].sort();
  // Who reaches a tenant reaches its projects, with their past.
  const single = [...projects].flatMap(([id, tenant]) => (tenant !== null && tenants.has(tenant) ? [] : [id])).sort();
  return single.length === 0 ? whole : { tenants: whole, projects: single };
}

const isProjectReach = (reach: Reach): reach is ProjectReach => typeof reach === 'object' && 'projects' in reach;

/** The tenants that are reachable as a whole. */
export const getReachableTenants = (reach: Reach): TenantReach => (isProjectReach(reach) ? reach.tenants : reach);

/** The single projects that are reachable. */
export const getReachableProjects = (reach: Reach): readonly string[] => (isProjectReach(reach) ? reach.projects : []);

/** Whether nothing is visible to the user. */
export const isEmptyReach = (reach: Reach): boolean => {
  const tenants = getReachableTenants(reach);
  return tenants !== 'all' && tenants.length === 0 && getReachableProjects(reach).length === 0;
};

/** What belongs to a tenant, and perhaps to one of its projects. */
export type Owned = { readonly tenant_id: string | null; readonly project_id: string | null };

/** The owner alone, of something that has more fields. */
export const toOwner = ({ tenant_id, project_id }: Owned): Owned => ({ tenant_id, project_id });

/** Whether something is visible to the user, by what it belongs to. */
export function isWithinReach({ tenant_id, project_id }: Owned, reach: Reach): boolean {
  const tenants = getReachableTenants(reach);
  if (tenants === 'all' || (tenant_id !== null && tenants.includes(tenant_id))) return true;
  return project_id !== null && getReachableProjects(reach).includes(project_id);
}

/**
 * Whether a policy may be named at a workload: users who see the workload through its project also see the policies
 * that its tenant has there, because those affect the project. What another project left there is not included.
 */
export function isVisibleAt(policy: Owned, workload: Owned, reach: Reach): boolean {
  if (isWithinReach(policy, reach)) return true;
  const ofTenant = policy.tenant_id !== null && policy.project_id === null && policy.tenant_id === workload.tenant_id;
  return ofTenant && isWithinReach(workload, reach);
}

/** Whether the grants give the permission anywhere. */
export const isGranted = (grants: readonly RoleGrant[], permission: Grantable): boolean =>
  !isEmptyReach(computeReach(grants, permission));

const listRolePermissions = (role: string) =>
  PERMISSIONS.filter((one) => DECLARED[one].some((holder) => holder === role));

/** Roles every installation has; they cannot be changed or deleted. */
export const BUILT_IN_ROLES = {
  super_admin: { title: 'Super administrator', permissions: ['*'] },
  admin: { title: 'Administrator', permissions: PERMISSIONS },
  security_engineer: { title: 'Security engineer', permissions: listRolePermissions('security_engineer') },
  network_operator: { title: 'Network operator', permissions: listRolePermissions('network_operator') },
  viewer: { title: 'Viewer', permissions: listRolePermissions('viewer') },
  auditor: { title: 'Auditor', permissions: listRolePermissions('auditor') },
} as const satisfies Record<string, { title: string; permissions: readonly Grantable[] }>;

export type BuiltInRole = keyof typeof BUILT_IN_ROLES;

/** What an API token is limited to: some permissions, everywhere its owner has them or (`tenant_id`) in one tenant only. */
export type GrantLimit = { readonly permissions: readonly string[]; readonly tenant_id: string | null };

/** An API token that acts for its owner, and what it is limited to. */
export type ActingToken = GrantLimit & { readonly id: string; readonly name: string };

/** What is left of grants under a limit: never more than either gives. `*` is not passed on to a limit that lacks it. */
export function restrictGrants<G extends RoleGrant>(grants: readonly G[], limit: GrantLimit): G[] {
  return grants.flatMap((grant) => {
    const tenant = limit.tenant_id ?? grant.tenant_id;
    if (grant.tenant_id !== null && grant.tenant_id !== tenant) return [];
    const all = grant.permissions.includes('*');
    const permissions = limit.permissions.filter((permission) => all || grant.permissions.includes(permission));
    return permissions.length > 0 ? [{ ...grant, permissions, tenant_id: tenant }] : [];
  });
}
