import { icmpMatch } from './data/icmp-types';
import type { LiveCluster, LiveGuest, LiveObjects, LiveRule } from './live-state';
import { aliasValue } from './resolve-address';
import type { RulePlace } from './verdict';

/** The family that the protocol's name limits a rule to. Numbers do not limit it. */
export const protocolFamily = (proto: string | undefined): 4 | 6 | undefined =>
  proto === 'icmp' ? 4 : proto === 'icmpv6' || proto === 'ipv6-icmp' ? 6 : undefined;

/** Whether the iptables compiler fails at an ICMP type that is written as a destination port, the older way. */
export function isRefusedType(proto: string | undefined, dport: string, family: 4 | 6): boolean {
  if (proto === 'ipv6-icmp') return true;
  return /^\d+$/.test(dport) ? Number(dport) > 255 : icmpMatch(dport, family) === null;
}

/** The family that the API finds in an address; a group's rules see no objects of a guest. */
function addressFamily(text: string | undefined, cluster: LiveObjects): 4 | 6 | undefined {
  if (!text || text.startsWith('+')) return undefined;
  const value = /^[\d:]|:/.test(text) ? text : aliasValue(text, { cluster, guest: null });
  return value === null ? undefined : value.includes(':') ? 6 : 4;
}

/**
 * Whether the compiler fails at a reference. The API ignores the scope when it looks for a set or an alias; the compiler
 * does not. A set of the SDN that has the name of one of the data center may exist: it is not read.
 */
function isRefusedReference(text: string | undefined, { ipsets }: LiveObjects): boolean {
  if (!text) return false;
  if (text.startsWith('guest/') || text.startsWith('+guest/')) return true;
  const [, scope, name = ''] = /^\+(dc|sdn)\/(.*)$/.exec(text) ?? [];
  return scope !== undefined && ipsets !== null && Object.hasOwn(ipsets, name) === (scope === 'sdn');
}

function isRefusedMember(rule: LiveRule, family: 4 | 6, cluster: LiveObjects): boolean {
  if (!rule.enable || rule.errors !== undefined || (rule.type !== 'in' && rule.type !== 'out')) return false;
  const { proto, dport, source, dest } = rule;
  const limited = protocolFamily(proto);
  const hasType = limited !== undefined && Boolean(dport) && dport !== '0';
  if (
    !(hasType && isRefusedType(proto, dport ?? '', limited)) &&
    ![source, dest].some((text) => isRefusedReference(text, cluster))
  ) {
    return false;
  }
  const own = limited ?? addressFamily(source, cluster) ?? addressFamily(dest, cluster);
  return own === undefined || own === family;
}

/**
 * The position of the rule of a PVE security group at which the iptables compiler fails, null when there is none. It skips
 * such a rule of a guest or node; in a group it stops the chains of the guest that refers to the group.
 */
export function findRefusedMember(members: readonly LiveRule[], family: 4 | 6, cluster: LiveObjects): number | null {
  return members.find((member) => isRefusedMember(member, family, cluster))?.pos ?? null;
}

/**
 * The rule because of which an interface may have no chains with iptables: chains are written by interface in the order of their
 * names, and the first one with a group that fails ends this, for itself and all that follow. What guests after it get of the group
 * depends on the others of the node, so nothing is claimed about them.
 */
export function findRefusedGroup(
  { rules }: LiveGuest,
  cluster: LiveCluster,
  nic: string,
  family: 4 | 6,
): RulePlace | null {
  for (const { type, action, enable, errors, iface, pos } of rules ?? []) {
    if (type !== 'group' || !enable || errors !== undefined || (iface !== undefined && iface > nic)) continue;
    const members = cluster.groups && Object.hasOwn(cluster.groups, action) ? cluster.groups[action] : undefined;
    const refused = findRefusedMember(members ?? [], family, cluster);
    if (refused !== null) return { position: pos, group: action, group_position: refused };
  }
  return null;
}
