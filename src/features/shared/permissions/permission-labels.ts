import { PERMISSION_REACH, PERMISSIONS, type Permission } from '@/domain/permissions';
import { msg, type Translate } from '@/lib/i18n/translator';

/** What a permission allows, in one line. */
export const PERMISSION_LABELS: Record<Permission, string> = {
  'cluster:read': msg('View clusters, nodes and their syncs'),
  'cluster:write': msg('Add, change and delete clusters'),
  'cluster:sync': msg('Start syncs'),
  'workload:read': msg('View workloads'),
  'workload:write': msg('Assign workloads to projects'),
  'ipam:read': msg('View networks, prefixes and addresses'),
  'ipam:write': msg('Change networks, prefixes and addresses'),
  'ipam:discover': msg('Start address discovery'),
  'group:read': msg('View groups'),
  'group:write': msg('Change groups and their members'),
  'policy:read': msg('View policies and the rules on workloads'),
  'policy:write': msg('Change policies'),
  'policy:apply': msg('Apply policies to the clusters'),
  'change:approve': msg('Approve changes of other authors'),
  'change:break_glass': msg('Apply changes without approval in an emergency'),
  'policy_test:read': msg('View policy tests and their results'),
  'policy_test:write': msg('Create, change and delete policy tests'),
  'policy_test:override': msg('Apply policies although policy tests fail'),
  'policy_test:protect': msg('Complete, change and override protected connections'),
  'flow:read': msg('View flows'),
  'agent:read': msg('View node agents'),
  'agent:install': msg('Install node agents'),
  'user:read': msg('View users'),
  'user:write': msg('Create, change and delete users, and assign roles'),
  'role:read': msg('View roles'),
  'role:write': msg('Create, change and delete roles'),
  'tenant:read': msg('View tenants'),
  'tenant:write': msg('Create, change and delete tenants'),
  'project:read': msg('View projects'),
  'project:write': msg('Create, change and delete projects'),
  'mapping:read': msg('View the mapping rules that assign workloads to projects by pool or tag'),
  'mapping:write': msg('Change mapping rules, and thereby the tenants of workloads'),
  'audit:read': msg('Read and verify the audit trail'),
  'notification:read': msg('View notification rules, channels, incidents and deliveries'),
  'notification:write': msg('Create, change, test and delete notification rules and channels'),
  'notification:mark': msg('Mark own notifications as read'),
  'job:read': msg('View the job queues'),
  'settings:read': msg('View the settings'),
};

type Resource = Permission extends `${infer Name}:${string}` ? Name : never;

const RESOURCE_LABELS: Record<Resource, string> = {
  cluster: msg('Cluster'),
  workload: msg('Workload'),
  ipam: msg('IPAM'),
  group: msg('Group'),
  policy: msg('Policy'),
  change: msg('Changes'),
  policy_test: msg('Policy tests'),
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
