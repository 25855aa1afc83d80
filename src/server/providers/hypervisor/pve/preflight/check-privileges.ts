import type { PreflightCheck } from '../../types';
import type { Permissions } from '../answers/permissions';
import { line, ok } from './check-line';

type Need = {
  privilege: string;
  /** Any of these does as well. */
  or?: string[];
  /** Where it is needed, with everything below. */
  path: string;
  /** What does not work without it. */
  lost: string;
  /** Whether the service can do its work without it. */
  ifMissing: 'failed' | 'warning';
};

const guestAgent = (major: number): Need => ({
  // PVE 9 dropped VM.Monitor, silently taking it out of existing roles.
  ...(major >= 9
    ? { privilege: 'VM.GuestAgent.Audit', or: ['VM.GuestAgent.Unrestricted'] }
    : { privilege: 'VM.Monitor' }),
  path: '/vms',
  lost: 'addresses of VMs cannot be read from their guest agents',
  ifMissing: 'warning',
});

const needs = (major: number): Need[] => [
  { privilege: 'VM.Audit', path: '/vms', lost: 'workloads are not visible', ifMissing: 'failed' },
  {
    privilege: 'VM.Config.Network',
    path: '/vms',
    lost: 'firewall rules and the firewall flag of interfaces cannot be written',
    ifMissing: 'failed',
  },
  {
    // Writing firewall options takes VM.Config.Network alone, on versions 8 and 9 alike.
    privilege: 'VM.Config.Options',
    path: '/vms',
    lost: 'Proxmox VE versions that require it may refuse changes of workload options',
    ifMissing: 'warning',
  },
  {
    privilege: 'SDN.Use',
    path: '/sdn/zones',
    lost: 'the firewall flag of interfaces cannot be set, so rules are not enforced',
    ifMissing: 'failed',
  },
  {
    privilege: 'SDN.Audit',
    or: ['SDN.Allocate'],
    path: '/sdn/zones',
    lost: 'virtual networks and their subnets are not visible',
    ifMissing: 'warning',
  },
  {
    privilege: 'Sys.Audit',
    path: '/',
    lost: 'quorum, node details and whether the cluster firewall is on stay unknown',
    ifMissing: 'warning',
  },
  {
    privilege: 'Pool.Audit',
    path: '/pool',
    lost: 'pools are not visible, so workloads cannot be mapped to projects by pool',
    ifMissing: 'warning',
  },
  guestAgent(major),
];

function checkNeed(permissions: Permissions, { privilege, or = [], path, lost, ifMissing }: Need): PreflightCheck {
  const name = `privilege:${privilege}`;
  const accepted = [privilege, ...or];
  const whole = accepted.find((candidate) => permissions.hasBelow(candidate, path));
  if (whole) return ok(name, `${whole} is granted on ${path} and below`);
  const grant = `Grant a role with ${privilege} on ${path} (propagating) to the token, and to its user if privileges are separated.`;
  const parts = [...new Set(accepted.flatMap((candidate) => permissions.pathsWith(candidate)))];
  if (parts.length > 0) {
    const shown = `${parts.slice(0, 5).join(', ')}${parts.length > 5 ? ' …' : ''}`;
    return line(name, 'warning', `${privilege} is granted on ${shown} only; elsewhere ${lost}`, grant);
  }
  return line(name, ifMissing, `${privilege} is missing on ${path}: ${lost}`, grant);
}

/** One line for each privilege the service needs on this major version. */
export const checkPrivileges = (permissions: Permissions, major: number): PreflightCheck[] =>
  needs(major).map((need) => checkNeed(permissions, need));

/** Whether the token has any rights at all; a new one with separated privileges has none and sees an empty cluster. */
export function checkToken(permissions: Permissions): PreflightCheck {
  if (!permissions.isEmpty) return ok('token', 'The token has permissions');
  return line(
    'token',
    'failed',
    'The token is valid but has no permissions, so the cluster looks empty',
    'By default, tokens have separate privileges: grant roles to the token itself (Datacenter → Permissions → Add → API Token Permission), or create it without privilege separation.',
  );
}

/** Without the first of them no firewall of any workload can be written; the others are named with it. */
const WRITING = ['VM.Config.Network', 'SDN.Use'] as const;

/**
 * What a token lacks that can read but not write; empty if it can write somewhere. The write itself reports a workload on which it lacks
 * the privilege.
 */
export function missingWritePrivileges(permissions: Permissions): string[] {
  const missing = WRITING.filter((privilege) => permissions.pathsWith(privilege).length === 0);
  return missing.includes(WRITING[0]) ? missing : [];
}
