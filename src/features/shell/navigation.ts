import {
  Activity,
  BellRing,
  Box,
  Boxes,
  Building2,
  ChartNoAxesColumn,
  Group,
  IdCard,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  MapPin,
  Network,
  RadioTower,
  ScrollText,
  Server,
  Settings,
  Share2,
  ShieldCheck,
  Split,
  Users,
  Waypoints,
} from 'lucide-react';
import type { Permission } from '@/domain/permissions';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';

export type NavEntry = {
  id: string;
  /** Marked text, as the group's; said where it is shown. */
  label: string;
  href: string;
  icon: LucideIcon;
  /** Shown to those who hold it anywhere. */
  permission: Permission;
  /** Further words the palette finds it by, a marked text too. */
  keywords?: string;
};

export type NavGroup = { id: string; label: string; entries: readonly NavEntry[] };

/** The sections of the console, in their order. A new page is one line here. */
export const NAVIGATION: readonly NavGroup[] = [
  {
    id: 'overview',
    label: msg('Overview'),
    entries: [
      {
        id: 'dashboard',
        label: msg('Dashboard'),
        href: paths.home(),
        icon: LayoutDashboard,
        permission: 'flow:read',
        keywords: msg('home start posture suspicious traffic top talkers'),
      },
    ],
  },
  {
    id: 'inventory',
    label: msg('Inventory'),
    entries: [
      {
        id: 'clusters',
        label: msg('Clusters'),
        href: paths.clusters(),
        icon: Waypoints,
        permission: 'cluster:read',
        keywords: msg('proxmox hypervisor sync'),
      },
      {
        id: 'nodes',
        label: msg('Nodes'),
        href: paths.nodes(),
        icon: Server,
        permission: 'cluster:read',
        keywords: msg('hosts'),
      },
      {
        id: 'workloads',
        label: msg('Workloads'),
        href: paths.workloads(),
        icon: Box,
        permission: 'workload:read',
        keywords: msg('vms virtual machines containers guests'),
      },
      {
        id: 'networks',
        label: msg('Networks'),
        href: paths.networks(),
        icon: Network,
        permission: 'ipam:read',
        keywords: msg('bridges vnets sdn vlan'),
      },
      {
        id: 'addresses',
        label: msg('Addresses'),
        href: paths.addresses(),
        icon: MapPin,
        permission: 'ipam:read',
        keywords: msg('ipam subnets prefixes ip dhcp conflicts discovery import'),
      },
    ],
  },
  {
    id: 'security',
    label: msg('Security'),
    entries: [
      {
        id: 'policies',
        label: msg('Policies'),
        href: paths.policies(),
        icon: ShieldCheck,
        permission: 'policy:read',
        keywords: msg('rules firewall segmentation deployments audit mode'),
      },
      {
        id: 'security-groups',
        label: msg('Groups'),
        href: paths.securityGroups(),
        icon: Group,
        permission: 'group:read',
        keywords: msg('security groups members tags sg'),
      },
      {
        id: 'coverage',
        label: msg('Coverage'),
        href: paths.coverage(),
        icon: ChartNoAxesColumn,
        permission: 'flow:read',
        keywords: msg('hit counts rules default policy unmatched unused'),
      },
    ],
  },
  {
    id: 'traffic',
    label: msg('Traffic'),
    entries: [
      {
        id: 'flows',
        label: msg('Flows'),
        href: paths.flows(),
        icon: Activity,
        permission: 'flow:read',
        keywords: msg('traffic connections telemetry denied'),
      },
      {
        id: 'topology',
        label: msg('Topology'),
        href: paths.topology(),
        icon: Share2,
        permission: 'flow:read',
        keywords: msg('map graph connections conversations neighbors peers'),
      },
    ],
  },
  {
    id: 'operations',
    label: msg('Operations'),
    entries: [
      {
        id: 'agents',
        label: msg('Agents'),
        href: paths.agents(),
        icon: RadioTower,
        permission: 'agent:read',
        keywords: msg('heartbeats collectors install stale silent'),
      },
      {
        id: 'jobs',
        label: msg('Jobs'),
        href: paths.jobs(),
        icon: ListChecks,
        permission: 'job:read',
        keywords: msg('queue runs schedules'),
      },
      {
        id: 'audit',
        label: msg('Audit'),
        href: paths.audit(),
        icon: ScrollText,
        permission: 'audit:read',
        keywords: msg('log history changes'),
      },
      {
        id: 'settings',
        label: msg('Settings'),
        href: paths.settings(),
        icon: Settings,
        permission: 'settings:read',
        keywords: msg('retention automatic sync intervals'),
      },
    ],
  },
  {
    id: 'administration',
    label: msg('Administration'),
    entries: [
      {
        id: 'users',
        label: msg('Users'),
        href: paths.users(),
        icon: Users,
        permission: 'user:read',
        keywords: msg('accounts people access passwords'),
      },
      {
        id: 'roles',
        label: msg('Roles'),
        href: paths.roles(),
        icon: KeyRound,
        permission: 'role:read',
        keywords: msg('permissions rights'),
      },
      {
        id: 'sign-in-provider',
        label: msg('Sign-in provider'),
        href: paths.signInProvider(),
        icon: IdCard,
        permission: 'settings:read',
        keywords: msg('openid connect oidc single sign-on groups sso'),
      },
      {
        id: 'tenants',
        label: msg('Tenants'),
        href: paths.tenants(),
        icon: Building2,
        permission: 'tenant:read',
        keywords: msg('customers teams organizations'),
      },
      {
        id: 'projects',
        label: msg('Projects'),
        href: paths.projects(),
        icon: Boxes,
        permission: 'project:read',
        keywords: msg('workloads pools'),
      },
      {
        id: 'mapping-rules',
        label: msg('Mapping rules'),
        href: paths.mappingRules(),
        icon: Split,
        permission: 'mapping:read',
        keywords: msg('pools tags assign projects tenants conflicts'),
      },
      {
        id: 'notifications',
        label: msg('Notifications'),
        href: paths.notifications(),
        icon: BellRing,
        permission: 'notification:read',
        keywords: msg('alerts incidents rules channels webhooks e-mail smtp deliveries'),
      },
    ],
  },
];

/** The sections somebody with these effective permissions (`*` for all) may see; empty groups are left out. */
export function visibleNavigation(permissions: readonly string[]): NavGroup[] {
  const all = permissions.includes('*');
  return NAVIGATION.map((group) => ({
    ...group,
    entries: group.entries.filter((entry) => all || permissions.includes(entry.permission)),
  })).filter((group) => group.entries.length > 0);
}

/** The section a path belongs to: `/clusters/42` is in Clusters. */
export function sectionOf(pathname: string): NavEntry | undefined {
  return NAVIGATION.flatMap((group) => group.entries).find(
    ({ href }) => pathname === href || pathname.startsWith(`${href}/`),
  );
}
