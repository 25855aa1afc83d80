import { PERMISSION_REACH, PERMISSIONS, type Permission } from '@/domain/permissions';
import { msg, type Translate } from '@/lib/i18n/translator';

/** What a permission lets somebody do, in one line. */
export const PERMISSION_LABELS: Record<Permission, string> = {
  'cluster:read': msg('See clusters, nodes and their syncs'),
  'cluster:write': msg('Add, change and delete clusters'),
  'cluster:sync': msg('Start syncs'),
  'workload:read': msg('See workloads'),
  'workload:write': msg('Assign workloads to projects'),
  'ipam:read': msg('See networks, subnets and addresses'),
  'ipam:write': msg('Change networks, subnets and addresses'),
  'ipam:discover': msg('Start the discovery of addresses'),
  'group:read': msg('See security groups'),
  'group:write': msg('Change security groups and their members'),
  'policy:read': msg('See policies and the rules on guests'),
  'policy:write': msg('Change policies'),
  'policy:apply': msg('Apply policies to the clusters'),
  'flow:read': msg('See flows'),
  'agent:read': msg('See node agents'),
  'agent:install': msg('Install node agents'),
  'user:read': msg('See users'),
  'user:write': msg('Create, change and delete users, and give them roles'),
  'role:read': msg('See roles'),
  'role:write': msg('Create, change and delete roles'),
  'tenant:read': msg('See tenants'),
  'tenant:write': msg('Create, change and delete tenants'),
  'project:read': msg('See projects'),
  'project:write': msg('Create, change and delete projects'),
  'mapping:read': msg('See the rules that give workloads of a pool or tag to projects'),
  'mapping:write': msg('Change those rules, and so which tenant has which workloads'),
  'audit:read': msg('Read and verify the audit trail'),
  'notification:read': msg('See notification rules, channels, incidents and deliveries'),
  'notification:write': msg('Create, change, test and delete notification rules and channels'),
  'notification:mark': msg('Mark own notifications as read'),
  'job:read': msg('See the queues'),
  'settings:read': msg('See the settings'),
};

type Resource = Permission extends `${infer Name}:${string}` ? Name : never;

const RESOURCE_LABELS: Record<Resource, string> = {
  cluster: msg('Cluster'),
  workload: msg('Workload'),
  ipam: msg('IPAM'),
  group: msg('Group'),
  policy: msg('Policy'),
  flow: msg('Flow'),
  agent: msg('Agent'),
  user: msg('User'),
  role: msg('Role'),
  tenant: msg('Tenant'),
  project: msg('Project'),
  mapping: msg('Mapping rules'),
  audit: msg('Audit trail'),
  notification: msg('Notification'),
  job: msg('Job'),
  settings: msg('Settings'),
};

export type MatrixRow = { resource: Resource; label: string; platform: boolean; permissions: Permission[] };

/** The permissions by what they are about, in the order of the table. */
export const PERMISSION_ROWS: readonly MatrixRow[] = [
  ...new Set(PERMISSIONS.map((one) => one.split(':')[0] as Resource)),
].map((resource) => {
  const permissions = PERMISSIONS.filter((one) => one.startsWith(`${resource}:`));
  return {
    resource,
    label: RESOURCE_LABELS[resource],
    platform: permissions.every((one) => PERMISSION_REACH[one] === 'platform'),
    permissions,
  };
});

/** `3 of 28`, or that it is all. */
export function permissionsText(t: Translate, permissions: readonly string[]): string {
  if (permissions.includes('*')) return t('Everything');
  const known = PERMISSIONS.filter((one) => permissions.includes(one)).length;
  return known === 0 ? t('Nothing') : t('{n} of {total}', { n: known, total: PERMISSIONS.length });
}
