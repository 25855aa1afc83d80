import { ICMP, ICMPV6, TCP, UDP } from '../data/protocols';
import type { EffectiveOptions } from '../guest-options';
import { DHCP_PORTS as IPTABLES_DHCP, NDP_TYPES as IPTABLES_NDP } from '../iptables-chain';
import { DHCP_PORTS as NFTABLES_DHCP, NDP_TYPES as NFTABLES_NDP, ROUTER_TYPES, VITAL } from '../nftables-chain';
import type { PreparedFilter, PreparedGuest } from '../prepare-guest';
import type { PreparedNode } from '../prepare-node';
import {
  broadcastSpans,
  type Condition,
  type Cut,
  crossingStages,
  cut,
  icmpTypes,
  invalidCuts,
  MULTICAST,
  outside,
  type Port,
  portList,
  rejectConditions,
  ruleCuts,
  type Stage,
  toBroadcast,
  type View,
} from './cut';
import { joinSpans } from './spans';

/** What the iptables implementation drops in front of guests and nodes. */
export function frontCuts(
  { blacklist, node }: Pick<PreparedFilter, 'blacklist' | 'node'>,
  { direction, family }: View,
): Cut[] {
  if (direction === 'out') return [];
  const cuts: Cut[] = [];
  if (blacklist) cuts.push(cut({ sources: blacklist[family] }, true));
  if (node.drop_smurfs !== false && family === 4) {
    const sources = joinSpans([...MULTICAST[4], ...broadcastSpans(node.broadcasts)]);
    cuts.push(cut({ sources }, node.drop_smurfs === true));
    if (!node.broadcasts) cuts.push(cut({ source_255: true }, false));
  }
  if (node.drop_tcp_flags !== false) {
    cuts.push(cut({ protocols: [TCP], source_ports: portList(0) }, node.drop_tcp_flags === true));
  }
  return cuts;
}

/** Packets with an address that the interface may not send from. */
function ipFilterCuts({ ip_filter }: PreparedFilter, { direction, family }: View): Cut[] {
  if (!ip_filter || direction === 'in') return [];
  const known = ip_filter[family];
  return [ip_filter.rest === 'no' ? cut({ sources: outside(known, family) }, true) : cut({ sources: known }, false)];
}

const dhcpCut = (source: number, destination: number): Cut =>
  cut({ protocols: [UDP], source_ports: portList(source), destination_ports: portList(destination) }, true);

function iptablesBefore(options: EffectiveOptions, filter: PreparedFilter, view: View): Cut[] {
  const { direction, family } = view;
  const cuts: Cut[] = [];
  if (options.dhcp) {
    const [client, server] = IPTABLES_DHCP[family];
    cuts.push(direction === 'out' ? dhcpCut(client, server) : dhcpCut(server, client));
  }
  const icmp = (types: readonly number[]) => cut({ protocols: [ICMPV6], icmp: icmpTypes(types) }, true);
  if (direction === 'out' && family === 6 && !options.radv) cuts.push(icmp([134]));
  cuts.push(...ipFilterCuts(filter, view));
  if (family === 6 && options.ndp) cuts.push(icmp([...IPTABLES_NDP[direction], ...(options.radv ? [134] : [])]));
  return cuts;
}

/** What is evaluated between the rules and a default of DROP or REJECT. @param rejects what rejecting distinguishes */
export function beforeDefaultCuts(
  { broadcasts, drop_invalid }: Pick<PreparedNode, 'broadcasts' | 'drop_invalid'>,
  family: 4 | 6,
  policy: 'DROP' | 'REJECT',
  rejects: readonly Condition[],
): Cut[] {
  const noise = policy === 'REJECT' ? rejects : undefined;
  const tcp = (...ports: Port[]) => ({ protocols: [TCP], destination_ports: portList(...ports) });
  const udp = (...ports: Port[]) => ({ protocols: [UDP], destination_ports: portList(...ports) });
  const critical: Condition =
    family === 6
      ? { protocols: [ICMPV6], icmp: icmpTypes([1, 2, 3]) }
      : { protocols: [ICMP], icmp: joinSpans([{ first: 3 * 256 + 4, last: 3 * 256 + 4 }, ...icmpTypes([11])]) };
  const netbios: Condition = { ...udp([1024, 65535]), source_ports: portList(137) };
  const [broadcast, maybe] = toBroadcast(broadcasts);
  return [
    ...(family === 6 ? [cut(tcp(43), true, rejects)] : []),
    cut({ destinations: MULTICAST[family] }, true),
    ...(family === 4 && broadcast ? [cut(broadcast, true)] : []),
    ...(family === 4 && maybe ? [cut(maybe, false)] : []),
    ...(drop_invalid ? [] : [cut(critical, true), ...invalidCuts(family, true)]),
    cut(tcp(135, 139, 445), true, noise),
    cut(udp(135, [137, 139], 445), true, noise),
    cut(netbios, true, noise),
    cut(udp(1900), true),
    cut({ protocols: [UDP], source_ports: portList(53) }, true),
  ];
}

/** The steps around a guest's own rules, in order. */
export type Surroundings = { readonly before: readonly Cut[]; readonly after: readonly Cut[] };

function iptablesSurroundings(options: EffectiveOptions, filter: PreparedFilter, view: View): Surroundings {
  const { direction, family } = view;
  const { node } = filter;
  const rejects = rejectConditions(direction, family, filter);
  const policy = options[direction === 'in' ? 'policy_in' : 'policy_out'];
  return {
    before: [
      ...invalidCuts(family, node.drop_invalid),
      ...frontCuts(filter, view),
      ...iptablesBefore(options, filter, view),
    ],
    after: [
      ...(policy === 'ACCEPT' ? [] : beforeDefaultCuts(node, family, policy, rejects)),
      ...(policy === 'REJECT' ? [cut({}, true, rejects)] : []),
    ],
  };
}

/** The steps of a guest's own rules, each with those that its rule has. */
function listRuleCuts(filter: PreparedFilter, { direction, family }: View): Cut[] {
  const rejects = rejectConditions(direction, family, filter);
  return filter.index(direction, family).rules.flatMap((rule) => ruleCuts(rule, family, rejects));
}

function iptablesStage(guest: PreparedGuest, filter: PreparedFilter, view: View): Cut[] {
  const { switches, options } = guest;
  if (switches.cluster === false) return [];
  const invalid = invalidCuts(view.family, filter.node.drop_invalid);
  if (switches.nic === false) return invalid;
  if (switches.guest === false || !options) return [...invalid, ...frontCuts(filter, view)];
  const { before, after } = iptablesSurroundings(options, filter, view);
  return [...before, ...listRuleCuts(filter, view), ...after];
}

export const vitalCut = (family: 4 | 6): Cut =>
  cut({ protocols: [VITAL[family].protocol], icmp: icmpTypes(VITAL[family].types) }, true);

function nftablesSurroundings(options: EffectiveOptions, filter: PreparedFilter, view: View): Surroundings {
  const { direction, family } = view;
  const icmp = (types: readonly number[]) => cut({ protocols: [ICMPV6], icmp: icmpTypes(types) }, true);
  const neighbors = [icmp(NFTABLES_NDP[direction]), ...(direction === 'out' ? [icmp(ROUTER_TYPES)] : [])];
  const rejects = options[direction === 'in' ? 'policy_in' : 'policy_out'] === 'REJECT';
  return {
    before: [
      vitalCut(family),
      ...invalidCuts(family, filter.node.drop_invalid),
      ...ipFilterCuts(filter, view),
      ...NFTABLES_DHCP[direction].map(([source, destination]) => dhcpCut(source, destination)),
      ...(family === 6 ? neighbors : []),
    ],
    after: rejects ? [cut({}, true, rejectConditions(direction, family, filter))] : [],
  };
}

function nftablesStage(guest: PreparedGuest, filter: PreparedFilter, view: View): Cut[] {
  const { options, enforcement } = guest;
  if (enforcement.status === 'off') return [];
  if (!options) return [vitalCut(view.family), ...invalidCuts(view.family, filter.node.drop_invalid)];
  const { before, after } = nftablesSurroundings(options, filter, view);
  return [...before, ...listRuleCuts(filter, view), ...after];
}

/** What is evaluated before and after the own rules of a guest whose firewall is on, in its own filter. */
export const getSurroundings = (options: EffectiveOptions, filter: PreparedFilter, view: View): Surroundings =>
  filter.implementation === 'iptables'
    ? iptablesSurroundings(options, filter, view)
    : nftablesSurroundings(options, filter, view);

/** Everything that `evaluate` distinguishes for new connections of one direction and family. */
export function guestStages(guest: PreparedGuest, direction: 'in' | 'out', family: 4 | 6): Stage[] {
  const { enforcement, filters } = guest;
  if (enforcement.status === 'unknown' && enforcement.reasons[0] === 'node_cannot_compile') return [];
  const view = { direction, family };
  return filters.flatMap((filter) =>
    filter.implementation === 'iptables'
      ? [iptablesStage(guest, filter, view)]
      : [nftablesStage(guest, filter, view), ...crossingStages(filter.crossing, view)],
  );
}
