import type { Permission } from '@/domain/permissions';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';

/** A place that is not a page of its own: a setting, a tab. */
type Place = {
  id: string;
  label: string;
  /** The page that it is on. */
  page: string;
  href: string;
  permission?: Permission;
  keywords?: string;
};

/** Settings and tabs that search finds by their names. */
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
    id: 'conflicts',
    label: msg('Conflicts'),
    page: msg('Addresses'),
    href: paths.addresses({ tab: 'conflicts' }),
    permission: 'ipam:read',
    keywords: msg('duplicate addresses'),
  },
  {
    id: 'import',
    label: msg('Import addresses'),
    page: msg('Addresses'),
    href: paths.importAddresses(),
    permission: 'ipam:write',
    keywords: msg('csv upload'),
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
    keywords: msg('create token key automation'),
  },
];
