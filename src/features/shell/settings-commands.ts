import type { Permission } from '@/domain/permissions';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';

/** A place that is not a page of its own: a setting, a tab, a form. */
export type Place = {
  id: string;
  label: string;
  /** The page that it is on. */
  page: string;
  href: string;
  permission?: Permission;
  keywords?: string;
};

/** Settings, tabs and pages without an entry of their own that search finds by their names. */
export const SETTINGS: readonly Place[] = [
  {
    id: 'inventory-sync',
    label: msg('Inventory sync'),
    page: msg('Settings'),
    href: paths.settings({ section: 'inventory-sync' }),
    permission: 'settings:read',
    keywords: msg('automatic interval schedule'),
  },
  {
    id: 'address-discovery',
    label: msg('Address discovery'),
    page: msg('Settings'),
    href: paths.settings({ section: 'address-discovery' }),
    permission: 'settings:read',
    keywords: msg('automatic interval schedule'),
  },
  {
    id: 'sync-interval',
    label: msg('Sync interval'),
    page: msg('Settings'),
    href: paths.settings({ section: 'inventory-sync' }),
    permission: 'settings:read',
    keywords: msg('automatic interval schedule'),
  },
  {
    id: 'discovery-interval',
    label: msg('Discovery interval'),
    page: msg('Settings'),
    href: paths.settings({ section: 'address-discovery' }),
    permission: 'settings:read',
    keywords: msg('automatic interval schedule'),
  },
  {
    id: 'flow-retention',
    label: msg('Flow retention'),
    page: msg('Settings'),
    href: paths.settings({ section: 'flow-retention' }),
    permission: 'settings:read',
    keywords: msg('keep delete history storage'),
  },
  {
    id: 'audit-retention',
    label: msg('Audit record retention'),
    page: msg('Settings'),
    href: paths.settings({ section: 'audit-retention' }),
    permission: 'settings:read',
    keywords: msg('keep delete history storage'),
  },
  {
    id: 'all-addresses',
    label: msg('All addresses'),
    page: msg('Addresses'),
    href: paths.addresses({ tab: 'addresses' }),
    permission: 'ipam:read',
  },
  {
    id: 'assignment-history',
    label: msg('Assignment history'),
    page: msg('Addresses'),
    href: paths.addresses({ tab: 'history' }),
    permission: 'ipam:read',
    keywords: msg('former previous holders of addresses'),
  },
  {
    id: 'conflicts',
    label: msg('Conflicts'),
    page: msg('Addresses'),
    href: paths.addresses({ tab: 'conflicts' }),
    permission: 'ipam:read',
    keywords: msg('duplicate addresses'),
  },
  {
    id: 'imports',
    label: msg('Imports'),
    page: msg('Addresses'),
    href: paths.addresses({ tab: 'imports' }),
    permission: 'ipam:write',
    keywords: msg('csv upload'),
  },
  {
    id: 'protected-connections',
    label: msg('Protected connections'),
    page: msg('Policy tests'),
    href: paths.protectedConnections(),
    permission: 'cluster:read',
    keywords: msg('own workloads lockout'),
  },
  {
    id: 'mapping-conflicts',
    label: msg('Conflicts'),
    page: msg('Mapping rules'),
    href: paths.mappingRules({ tab: 'conflicts' }),
    permission: 'mapping:read',
  },
  {
    id: 'queues',
    label: msg('Queues'),
    page: msg('Jobs'),
    href: paths.jobs({ tab: 'queues' }),
    permission: 'job:read',
  },
  {
    id: 'notification-rules',
    label: msg('Rules'),
    page: msg('Notifications'),
    href: paths.notifications({ tab: 'rules' }),
    permission: 'notification:read',
    keywords: msg('alerts conditions'),
  },
  {
    id: 'notification-channels',
    label: msg('Channels'),
    page: msg('Notifications'),
    href: paths.notifications({ tab: 'channels' }),
    permission: 'notification:read',
    keywords: msg('webhook slack teams pagerduty email'),
  },
  {
    id: 'notification-deliveries',
    label: msg('Deliveries'),
    page: msg('Notifications'),
    href: paths.notifications({ tab: 'deliveries' }),
    permission: 'notification:read',
  },
  {
    id: 'notification-email',
    label: msg('Email'),
    page: msg('Notifications'),
    href: paths.notifications({ tab: 'email' }),
    permission: 'settings:read',
    keywords: msg('smtp mail server'),
  },
  {
    id: 'account-security',
    label: msg('Password and second factor'),
    page: msg('Your account'),
    href: paths.account({ tab: 'security' }),
    keywords: msg('password sessions authenticator totp mfa 2fa recovery codes'),
  },
  {
    id: 'account-tokens',
    label: msg('API tokens'),
    page: msg('Your account'),
    href: paths.account({ tab: 'tokens' }),
    keywords: msg('token key automation'),
  },
];

/** What opens a form on its page, found from every page. */
export const ACTIONS: readonly Place[] = [
  {
    id: 'create-policy',
    label: msg('Create policy'),
    page: msg('Policies'),
    href: paths.newPolicy(),
    permission: 'policy:write',
    keywords: msg('new add firewall rule'),
  },
  {
    id: 'create-policy-test',
    label: msg('Create policy test'),
    page: msg('Policy tests'),
    href: paths.policyTests({ add: true }),
    permission: 'policy_test:write',
  },
  {
    id: 'create-group',
    label: msg('Create group'),
    page: msg('Groups'),
    href: paths.securityGroups({ add: true }),
    permission: 'group:write',
  },
  {
    id: 'add-cluster',
    label: msg('Add cluster'),
    page: msg('Clusters'),
    href: paths.clusters({ add: true }),
    permission: 'cluster:write',
    keywords: msg('connect proxmox'),
  },
  {
    id: 'add-network',
    label: msg('Add network'),
    page: msg('Networks'),
    href: paths.networks({ add: true }),
    permission: 'ipam:write',
  },
  {
    id: 'add-prefix',
    label: msg('Add prefix'),
    page: msg('Addresses'),
    href: paths.addresses({ add: true }),
    permission: 'ipam:write',
    keywords: msg('subnet'),
  },
  {
    id: 'import-addresses',
    label: msg('Import addresses from CSV'),
    page: msg('Addresses'),
    href: paths.importAddresses(),
    permission: 'ipam:write',
    keywords: msg('csv upload'),
  },
  {
    id: 'install-agents',
    label: msg('Install agents'),
    page: msg('Agents'),
    href: paths.agents({ install: true }),
    permission: 'agent:install',
    keywords: msg('enroll'),
  },
  {
    id: 'create-user',
    label: msg('Create user'),
    page: msg('Users'),
    href: paths.users({ add: true }),
    permission: 'user:write',
    keywords: msg('account'),
  },
  {
    id: 'create-role',
    label: msg('Create role'),
    page: msg('Roles'),
    href: paths.roles({ add: true }),
    permission: 'role:write',
  },
  {
    id: 'create-tenant',
    label: msg('Create tenant'),
    page: msg('Tenants'),
    href: paths.tenants({ add: true }),
    permission: 'tenant:write',
  },
  {
    id: 'create-project',
    label: msg('Create project'),
    page: msg('Projects'),
    href: paths.projects({ add: true }),
    permission: 'project:write',
  },
  {
    id: 'create-mapping-rule',
    label: msg('Create mapping rule'),
    page: msg('Mapping rules'),
    href: paths.mappingRules({ add: true }),
    permission: 'mapping:write',
  },
  {
    id: 'create-notification-rule',
    label: msg('Create notification rule'),
    page: msg('Notifications'),
    href: paths.notifications({ tab: 'rules', add: true }),
    permission: 'notification:write',
    keywords: msg('alert'),
  },
  {
    id: 'add-channel',
    label: msg('Add notification channel'),
    page: msg('Notifications'),
    href: paths.notifications({ tab: 'channels', add: true }),
    permission: 'notification:write',
    keywords: msg('webhook slack teams pagerduty email'),
  },
  {
    id: 'create-token',
    label: msg('Create API token'),
    page: msg('Your account'),
    href: paths.account({ tab: 'tokens', add: true }),
    keywords: msg('automation'),
  },
];
