import {
  Activity,
  BellRing,
  Box,
  Boxes,
  Building2,
  ChartNoAxesColumn,
  FlaskConical,
  GitCompareArrows,
  GitPullRequestArrow,
  Group,
  IdCard,
  KeyRound,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  MapPin,
  Network,
  RadioTower,
  Route,
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
  /** After `g`, opens the page. */
  key: string;
  /** Marked text, as the group's; said where it is shown. */
  label: string;
  href: string;
  /** Other pages that belong to the section, by the start of their path. */
  within?: string;
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
        key: 'd',
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
        key: 'c',
        label: msg('Clusters'),
        href: paths.clusters(),
        icon: Waypoints,
        permission: 'cluster:read',
        keywords: msg('cluster proxmox pve hypervisor datacenter sync'),
      },
      {
        id: 'nodes',
        key: 'n',
        label: msg('Nodes'),
        href: paths.nodes(),
        icon: Server,
        permission: 'cluster:read',
        keywords: msg('node hosts servers hypervisors'),
      },
      {
        id: 'workloads',
        key: 'w',
        label: msg('Workloads'),
        href: paths.workloads(),
        icon: Box,
        permission: 'workload:read',
        keywords: msg('workload vms virtual machines containers ct lxc qemu guests inventory'),
      },
      {
        id: 'networks',
        key: 'v',
        label: msg('Networks'),
        href: paths.networks(),
        icon: Network,
        permission: 'ipam:read',
        keywords: msg('network bridges vnets sdn vlans segments'),
      },
      {
        id: 'addresses',
        key: 'a',
        label: msg('Addresses'),
        href: paths.addresses(),
        icon: MapPin,
        permission: 'ipam:read',
        keywords: msg('ipam address subnets prefix prefixes ip dhcp conflicts discovery import'),
      },
    ],
  },
  {
    id: 'security',
    label: msg('Security'),
    entries: [
      {
        id: 'policies',
        key: 'p',
        label: msg('Policies'),
        href: paths.policies(),
        within: '/impacts/',
        icon: ShieldCheck,
        permission: 'policy:read',
        keywords: msg('policy firewall rules acl segmentation deployments enforcement audit mode'),
      },
      {
        id: 'changes',
        key: 'h',
        label: msg('Changes'),
        href: paths.changes(),
        icon: GitPullRequestArrow,
        permission: 'policy:read',
        keywords: msg('change review approval rollback roll-out canary confirm'),
      },
      {
        id: 'drift',
        key: 'z',
        label: msg('Drift'),
        href: paths.drift(),
        icon: GitCompareArrows,
        permission: 'policy:read',
        keywords: msg('differences manual changes live applied reconcile accept'),
      },
      {
        id: 'policy-tests',
        key: 'y',
        label: msg('Policy tests'),
        href: paths.policyTests(),
        icon: FlaskConical,
        permission: 'policy_test:read',
        keywords: msg('assertions reachability allow deny counterexample protected connections'),
      },
      {
        id: 'security-groups',
        key: 'g',
        label: msg('Groups'),
        href: paths.securityGroups(),
        icon: Group,
        permission: 'group:read',
        keywords: msg('security groups members tags sg objects'),
      },
      {
        id: 'coverage',
        key: 'r',
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
        key: 'f',
        label: msg('Flows'),
        href: paths.flows(),
        icon: Activity,
        permission: 'flow:read',
        keywords: msg('traffic connections telemetry denied'),
      },
      {
        id: 'reach',
        key: 'k',
        label: msg('Reachability'),
        href: paths.reach(),
        icon: Route,
        permission: 'workload:read',
        keywords: msg('path check who can reach segment matrix connectivity'),
      },
      {
        id: 'topology',
        key: 't',
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
        key: 'e',
        label: msg('Agents'),
        href: paths.agents(),
        icon: RadioTower,
        permission: 'agent:read',
        keywords: msg('heartbeats collectors install stale silent'),
      },
      {
        id: 'jobs',
        key: 'j',
        label: msg('Jobs'),
        href: paths.jobs(),
        icon: ListChecks,
        permission: 'job:read',
        keywords: msg('queue runs schedules'),
      },
      {
        id: 'audit',
        key: 'l',
        label: msg('Audit'),
        href: paths.audit(),
        icon: ScrollText,
        permission: 'audit:read',
        keywords: msg('log history changes'),
      },
      {
        id: 'settings',
        key: 's',
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
        key: 'u',
        label: msg('Users'),
        href: paths.users(),
        icon: Users,
        permission: 'user:read',
        keywords: msg('accounts people access passwords'),
      },
      {
        id: 'roles',
        key: 'o',
        label: msg('Roles'),
        href: paths.roles(),
        icon: KeyRound,
        permission: 'role:read',
        keywords: msg('permissions rights'),
      },
      {
        id: 'sign-in-provider',
        key: 'i',
        label: msg('Sign-in provider'),
        href: paths.signInProvider(),
        icon: IdCard,
        permission: 'settings:read',
        keywords: msg('openid connect oidc single sign-on groups sso'),
      },
      {
        id: 'tenants',
        key: 'm',
        label: msg('Tenants'),
        href: paths.tenants(),
        icon: Building2,
        permission: 'tenant:read',
        keywords: msg('customers teams organizations'),
      },
      {
        id: 'projects',
        key: 'x',
        label: msg('Projects'),
        href: paths.projects(),
        icon: Boxes,
        permission: 'project:read',
        keywords: msg('workloads pools'),
      },
      {
        id: 'mapping-rules',
        key: 'q',
        label: msg('Mapping rules'),
        href: paths.mappingRules(),
        icon: Split,
        permission: 'mapping:read',
        keywords: msg('pools tags assign projects tenants conflicts'),
      },
      {
        id: 'notifications',
        key: 'b',
        label: msg('Notifications'),
        href: paths.notifications(),
        icon: BellRing,
        permission: 'notification:read',
        keywords: msg('alerts incidents rules channels webhooks email smtp deliveries'),
      },
    ],
  },
];

/** The sections visible to a user with these effective permissions (`*` for all); empty groups are left out. */
export function visibleNavigation(permissions: readonly string[]): NavGroup[] {
  const all = permissions.includes('*');
  return NAVIGATION.map((group) => ({
    ...group,
    entries: group.entries.filter((entry) => all || permissions.includes(entry.permission)),
  })).filter((group) => group.entries.length > 0);
}

/** The section a path belongs to: `/clusters/42` is in Clusters. */
export function findSection(pathname: string): NavEntry | undefined {
  return NAVIGATION.flatMap((group) => group.entries).find(
    ({ href, within }) =>
      pathname === href || pathname.startsWith(`${href}/`) || (within !== undefined && pathname.startsWith(within)),
  );
}
