import type { PreparedGuest } from './prepare-guest';

export type DefiniteVerdict = 'accept' | 'drop' | 'reject';

export const BUILTINS = [
  'established',
  'invalid',
  'blacklist',
  'smurf',
  'tcp_flags',
  'vital_icmp',
  'dhcp',
  'dhcp_blocked',
  'mac_filter',
  'router_advertisement',
  'ip_filter',
  'ndp',
  'ndp_blocked',
  'router_announced',
  'broadcast',
  'critical_icmp',
  'windows_noise',
  'upnp',
  'not_syn',
  'dns_reply',
  'whois',
] as const;
/** Rules of the hypervisor's own, in front of all guests, in a guest's chain or in front of its default. */
export type Builtin = (typeof BUILTINS)[number];

export const NOT_ENFORCED_REASONS = ['cluster_firewall_off', 'guest_firewall_off', 'nic_flag_off'] as const;
export type NotEnforcedReason = (typeof NOT_ENFORCED_REASONS)[number];

export const UNKNOWN_REASONS = [
  'unknown_cluster_firewall',
  'unknown_guest_options',
  'unknown_guest_rules',
  'unknown_nic_flag',
  'unknown_group',
  'unknown_reference',
  'unknown_packet_detail',
  'unknown_inspection',
  'unknown_implementation',
  'unknown_node_options',
  'unknown_node_networks',
  /** Forward rules or options of a VNet, the node or the data center were not read. */
  'unknown_forward_rules',
  /** Whether the node routes the packet, or bridges it within a VNet. */
  'unknown_route',
  'node_cannot_compile',
  /** The iptables compiler fails at a rule of a PVE security group, and may have given the guest no chains. */
  'group_cannot_compile',
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Whose list of rules it is, where it is not the guest's own; `name` is that of the VNet. */
export type ListScope =
  | { readonly scope?: never; readonly name?: never }
  | { readonly scope: 'datacenter' | 'node'; readonly name?: never }
  | { readonly scope: 'vnet'; readonly name: string };

/** Where a rule is: its position in its list, and inside a security group the group and the position there. */
export type RulePlace = ListScope & {
  readonly position: number;
  readonly group?: string;
  readonly group_position?: number;
};

export type DecidedBy =
  | ({ readonly kind: 'rule' } & RulePlace)
  | ({ readonly kind: 'default'; readonly policy: 'ACCEPT' | 'DROP' | 'REJECT' } & ListScope)
  | { readonly kind: 'builtin'; readonly name: Builtin }
  | { readonly kind: 'not_enforced'; readonly reason: NotEnforcedReason }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason; readonly places: readonly RulePlace[] };

/**
 * What happens to a packet. `unknown` is a verdict of its own: something that could not be read, or is missing in the
 * packet, decides. When every possibility ends the same way, that verdict is given.
 */
export type Verdict = { readonly verdict: DefiniteVerdict | 'unknown'; readonly decided_by: DecidedBy };

/** Something that may have decided before: what it would have said, why that is not known, and where it stands. */
export type Possibility = { verdict: DefiniteVerdict | 'unknown'; reason: UnknownReason; place?: RulePlace };

export const settled = (verdict: DefiniteVerdict, decided_by: DecidedBy): Verdict => ({ verdict, decided_by });

export const byBuiltin = (verdict: DefiniteVerdict, name: Builtin): Verdict =>
  settled(verdict, { kind: 'builtin', name });

export const undecided = (reason: UnknownReason, possible: readonly Possibility[] = []): Verdict => ({
  verdict: 'unknown',
  decided_by: { kind: 'unknown', reason, places: possible.flatMap(({ place }) => (place ? [place] : [])) },
});

/** A possibility that ends as the certain decision changes nothing. */
export function conclude(certain: Verdict, possible: readonly Possibility[]): Verdict {
  if (possible.length === 0 || certain.verdict === 'unknown') return certain;
  const open = possible.find(({ verdict }) => verdict !== certain.verdict);
  return open ? undecided(open.reason, possible) : certain;
}

/** Nothing that is enforced applies to the packet, because this is off. */
export const notEnforced = (reason: NotEnforcedReason): Verdict => settled('accept', { kind: 'not_enforced', reason });

/**
 * A verdict that holds while switches are on, given that some could not be read. A packet that passes the filter passes
 * without it, too.
 * @param innermost the last switch that the verdict depends on: each needs those before it (cluster, nic, guest)
 */
export function withSwitches(
  verdict: Verdict,
  { cluster, nic, guest }: PreparedGuest['switches'],
  innermost: 'cluster' | 'nic' | 'guest',
): Verdict {
  if (verdict.verdict === 'accept') return verdict;
  if (cluster === null) return undecided('unknown_cluster_firewall');
  if (innermost === 'guest' && guest === null) return undecided('unknown_guest_options');
  return innermost !== 'cluster' && nic === null ? undecided('unknown_nic_flag') : verdict;
}
