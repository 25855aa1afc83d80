import { PERMISSION_REACH, PERMISSIONS, type Permission } from '@/domain/permissions';

/** What a permission lets somebody do, in one line. */
export const PERMISSION_WORDS: Record<Permission, string> = {
  'cluster:read': 'See clusters, nodes and their syncs',
  'cluster:write': 'Add, change and delete clusters',
  'cluster:sync': 'Start syncs',
  'workload:read': 'See workloads',
  'workload:write': 'Assign workloads to projects',
  'ipam:read': 'See networks, subnets and addresses',
  'ipam:write': 'Change networks, subnets and addresses',
  'ipam:discover': 'Start the discovery of addresses',
  'group:read': 'See security groups',
  'group:write': 'Change security groups and their members',
  'policy:read': 'See policies and the rules on guests',
  'policy:write': 'Change policies',
  'policy:apply': 'Apply policies to the clusters',
  'flow:read': 'See flows',
  'agent:read': 'See node agents',
  'agent:install': 'Install node agents',
  'user:read': 'See users',
  'user:write': 'Create, change and delete users, and give them roles',
  'role:read': 'See roles',
  'role:write': 'Create, change and delete roles',
  'tenant:read': 'See tenants',
  'tenant:write': 'Create, change and delete tenants',
  'project:read': 'See projects',
  'project:write': 'Create, change and delete projects',
  'mapping:read': 'See the rules that give workloads of a pool or tag to projects',
  'mapping:write': 'Change those rules, and so which tenant has which workloads',
  'audit:read': 'Read and verify the audit trail',
  'notification:read': 'See notification rules, channels, incidents and deliveries',
  'notification:write': 'Create, change, test and delete notification rules and channels',
  'job:read': 'See the queues',
  'settings:read': 'See the settings',
};

/** Those that are no word with a capital letter. */
const RESOURCE_LABELS: Record<string, string> = { ipam: 'IPAM', audit: 'Audit trail', mapping: 'Mapping rules' };

/** `ipam` -> "IPAM", `cluster` -> "Cluster". */
const resourceLabel = (resource: string) =>
  RESOURCE_LABELS[resource] ?? resource.replace(/^./, (first) => first.toUpperCase());

export type MatrixRow = { resource: string; label: string; platform: boolean; permissions: Permission[] };

/** The permissions by what they are about, in the order of the table. */
export const PERMISSION_ROWS: readonly MatrixRow[] = [
  ...new Set(PERMISSIONS.map((one) => one.split(':')[0] ?? '')),
].map((resource) => {
  const permissions = PERMISSIONS.filter((one) => one.startsWith(`${resource}:`));
  return {
    resource,
    label: resourceLabel(resource),
    platform: permissions.every((one) => PERMISSION_REACH[one] === 'platform'),
    permissions,
  };
});

/** `3 of 28 permissions`, or that it is all. */
export function permissionsText(permissions: readonly string[]): string {
  if (permissions.includes('*')) return 'Everything';
  const known = PERMISSIONS.filter((one) => permissions.includes(one)).length;
  return known === 0 ? 'Nothing' : `${known} of ${PERMISSIONS.length}`;
}
