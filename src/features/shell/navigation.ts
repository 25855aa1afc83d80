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
import { paths } from '@/lib/paths';

export type NavEntry = {
  id: string;
  label: string;
  href: string;
  icon: LucideIcon;
  /** Shown to those who hold it anywhere. */
  permission: Permission;
  /** Further words the palette finds it by. */
  keywords?: readonly string[];
};

export type NavGroup = { id: string; label: string; entries: readonly NavEntry[] };

/** The sections of the console, in their order. A new page is one line here. */
export const NAVIGATION: readonly NavGroup[] = [
  {
    id: 'overview',
    label: 'Overview',
    entries: [
      {
        id: 'dashboard',
        label: 'Dashboard',
        href: paths.home(),
        icon: LayoutDashboard,
        permission: 'flow:read',
        keywords: ['home', 'start', 'posture', 'suspicious traffic', 'top talkers'],
      },
    ],
  },
  {
    id: 'inventory',
    label: 'Inventory',
    entries: [
      {
        id: 'clusters',
        label: 'Clusters',
        href: paths.clusters(),
        icon: Waypoints,
        permission: 'cluster:read',
        keywords: ['proxmox', 'hypervisor', 'sync'],
      },
      {
        id: 'nodes',
        label: 'Nodes',
        href: paths.nodes(),
        icon: Server,
        permission: 'cluster:read',
        keywords: ['hosts'],
      },
      {
        id: 'workloads',
        label: 'Workloads',
        href: paths.workloads(),
        icon: Box,
        permission: 'workload:read',
        keywords: ['guests', 'vms', 'virtual machines', 'containers'],
      },
      {
        id: 'networks',
        label: 'Networks',
        href: paths.networks(),
        icon: Network,
        permission: 'ipam:read',
        keywords: ['bridges', 'vnets', 'sdn', 'vlan'],
      },
      {
        id: 'addresses',
        label: 'Addresses',
        href: paths.addresses(),
        icon: MapPin,
        permission: 'ipam:read',
        keywords: ['ipam', 'subnets', 'prefixes', 'ip', 'dhcp', 'conflicts', 'discovery', 'import'],
      },
    ],
  },
  {
    id: 'security',
    label: 'Security',
    entries: [
      {
        id: 'policies',
        label: 'Policies',
        href: paths.policies(),
        icon: ShieldCheck,
        permission: 'policy:read',
        keywords: ['rules', 'firewall', 'segmentation', 'deployments', 'audit mode'],
      },
      {
        id: 'security-groups',
        label: 'Security groups',
        href: paths.securityGroups(),
        icon: Group,
        permission: 'group:read',
        keywords: ['members', 'tags', 'sg'],
      },
      {
        id: 'coverage',
        label: 'Coverage',
        href: paths.coverage(),
        icon: ChartNoAxesColumn,
        permission: 'flow:read',
        keywords: ['hits', 'rules', 'default', 'undecided', 'unused'],
      },
    ],
  },
  {
    id: 'traffic',
    label: 'Traffic',
    entries: [
      {
        id: 'flows',
        label: 'Flows',
        href: paths.flows(),
        icon: Activity,
        permission: 'flow:read',
        keywords: ['traffic', 'connections', 'telemetry', 'denied'],
      },
      {
        id: 'topology',
        label: 'Topology',
        href: paths.topology(),
        icon: Share2,
        permission: 'flow:read',
        keywords: ['map', 'graph', 'connections', 'neighbours', 'who talks to whom'],
      },
    ],
  },
  {
    id: 'operations',
    label: 'Operations',
    entries: [
      {
        id: 'agents',
        label: 'Agents',
        href: paths.agents(),
        icon: RadioTower,
        permission: 'agent:read',
        keywords: ['heartbeats', 'collectors', 'install', 'silent'],
      },
      {
        id: 'jobs',
        label: 'Jobs',
        href: paths.jobs(),
        icon: ListChecks,
        permission: 'job:read',
        keywords: ['queue', 'runs', 'schedules'],
      },
      {
        id: 'audit',
        label: 'Audit',
        href: paths.audit(),
        icon: ScrollText,
        permission: 'audit:read',
        keywords: ['log', 'history', 'changes'],
      },
      {
        id: 'settings',
        label: 'Settings',
        href: paths.settings(),
        icon: Settings,
        permission: 'settings:read',
        keywords: ['retention', 'automatic sync', 'intervals'],
      },
    ],
  },
  {
    id: 'administration',
    label: 'Administration',
    entries: [
      {
        id: 'users',
        label: 'Users',
        href: paths.users(),
        icon: Users,
        permission: 'user:read',
        keywords: ['accounts', 'people', 'access', 'passwords'],
      },
      {
        id: 'roles',
        label: 'Roles',
        href: paths.roles(),
        icon: KeyRound,
        permission: 'role:read',
        keywords: ['permissions', 'rights'],
      },
      {
        id: 'sign-in-provider',
        label: 'Sign-in provider',
        href: paths.signInProvider(),
        icon: IdCard,
        permission: 'settings:read',
        keywords: ['openid connect', 'oidc', 'single sign-on', 'groups', 'sso'],
      },
      {
        id: 'tenants',
        label: 'Tenants',
        href: paths.tenants(),
        icon: Building2,
        permission: 'tenant:read',
        keywords: ['customers', 'teams', 'organisations'],
      },
      {
        id: 'projects',
        label: 'Projects',
        href: paths.projects(),
        icon: Boxes,
        permission: 'project:read',
        keywords: ['workloads', 'pools'],
      },
      {
        id: 'mapping-rules',
        label: 'Mapping rules',
        href: paths.mappingRules(),
        icon: Split,
        permission: 'mapping:read',
        keywords: ['pools', 'tags', 'assign', 'projects', 'tenants', 'conflicts'],
      },
      {
        id: 'notifications',
        label: 'Notifications',
        href: paths.notifications(),
        icon: BellRing,
        permission: 'notification:read',
        keywords: ['alerts', 'incidents', 'rules', 'channels', 'webhooks', 'e-mail', 'smtp', 'deliveries'],
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
