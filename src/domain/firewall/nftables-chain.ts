import { normalizeMac } from '../net/mac-address';
import { addressSetHas } from './address-set';
import { trackedState } from './connection-state';
import { ICMP, ICMPV6, UDP } from './data/protocols';
import { evaluateTracking } from './front-chain';
import { evaluateGuestRules } from './guest-rules';
import { mergeInSeries, type Outcome, toGuestVerdict } from './node-steps';
import type { Packet } from './packet';
import type { PreparedFilter, PreparedGuest } from './prepare-guest';
import { rejectOutcome } from './reject-outcome';
import {
  byBuiltin,
  conclude,
  notEnforced,
  type Possibility,
  settled,
  undecided,
  type Verdict,
  withSwitches,
} from './verdict';

/** ICMP that is accepted before anything else, by family. */
export const VITAL = {
  4: { protocol: ICMP, types: [3, 4, 11] },
  6: { protocol: ICMPV6, types: [1, 2, 3, 4] },
} as const;

/** Types of neighbor discovery that the option `ndp` is about. */
export const NDP_TYPES = { in: [133, 134, 135, 136, 137], out: [133, 135, 136] } as const;

/** Whether the type is one of those: yes, no, or not known. */
export const hasType = (type: number | undefined, types: readonly number[]): 'yes' | 'no' | 'unknown' =>
  type === undefined ? 'unknown' : types.includes(type) ? 'yes' : 'no';

export const ROUTER_TYPES = [134, 137] as const;
/** Source and destination port of DHCP; the chains do not tell the families apart. */
export const DHCP_PORTS = {
  in: [
    [67, 68],
    [547, 546],
  ],
  out: [
    [68, 67],
    [546, 547],
  ],
} as const;

type Answer = 'yes' | 'no' | 'unknown';
function isDhcp({ direction, protocol, source_port: sport, destination_port: dport }: Packet): Answer {
  if (protocol !== UDP) return 'no';
  const fitting = DHCP_PORTS[direction].some(([from, to]) => (sport ?? from) === from && (dport ?? to) === to);
  if (!fitting) return 'no';
  return sport !== undefined && dport !== undefined ? 'yes' : 'unknown';
}

/** Rules before the guest's own, in evaluation order. Returns the certain decider, else fills in possible ones. */
function evaluateBeforeRules(
  guest: PreparedGuest,
  filter: PreparedFilter,
  packet: Packet,
  possible: Possibility[],
): Verdict | null {
  const { direction, protocol, icmp_type: type, source } = packet;
  const { options } = guest;
  if (!options) return undecided('unknown_guest_options', possible);
  if (direction === 'out') {
    if (filter.ip_filter) {
      const allowed = addressSetHas(filter.ip_filter, source);
      if (allowed === 'no') return byBuiltin('drop', 'ip_filter');
      if (allowed === 'unknown') possible.push({ verdict: 'drop', reason: 'unknown_reference' });
    }
    if (options.macfilter && packet.source_mac !== undefined && guest.mac !== null) {
      if (normalizeMac(packet.source_mac) !== guest.mac) return byBuiltin('drop', 'mac_filter');
    }
  }
  const dhcp = isDhcp(packet);
  if (dhcp === 'yes') return options.dhcp ? byBuiltin('accept', 'dhcp') : byBuiltin('drop', 'dhcp_blocked');
  if (dhcp === 'unknown') possible.push({ verdict: options.dhcp ? 'accept' : 'drop', reason: 'unknown_packet_detail' });
  if (source.family === 4 || protocol !== ICMPV6) return null;
  const ndp = hasType(type, NDP_TYPES[direction]);
  if (ndp === 'yes') return options.ndp ? byBuiltin('accept', 'ndp') : byBuiltin('drop', 'ndp_blocked');
  if (ndp === 'unknown') possible.push({ verdict: options.ndp ? 'accept' : 'drop', reason: 'unknown_packet_detail' });
  if (direction === 'in') return null;
  const router = hasType(type, ROUTER_TYPES);
  if (router === 'yes')
    return options.radv ? byBuiltin('accept', 'router_announced') : byBuiltin('drop', 'router_advertisement');
  if (router === 'unknown') {
    possible.push({ verdict: options.radv ? 'accept' : 'drop', reason: 'unknown_packet_detail' });
  }
  return null;
}

/** The hypervisor has no rules of its own that are evaluated before the default. */
function evaluateDefault(guest: PreparedGuest, { node, implementation }: PreparedFilter, packet: Packet): Verdict {
  const policy = guest.options?.[packet.direction === 'in' ? 'policy_in' : 'policy_out'] ?? 'DROP';
  if (policy !== 'REJECT') return settled(policy === 'ACCEPT' ? 'accept' : 'drop', { kind: 'default', policy });
  const outcome = rejectOutcome(packet, node.broadcasts, implementation);
  return outcome === 'unknown' ? undecided('unknown_node_networks') : settled(outcome, { kind: 'default', policy });
}

/** @param possible filled in with what may decide before the verdict that is returned */
function evaluateGuestChain(
  guest: PreparedGuest,
  filter: PreparedFilter,
  packet: Packet,
  possible: Possibility[],
): Verdict {
  const state = trackedState(packet);
  if (state === 'established') return byBuiltin('accept', 'established');
  const vital = VITAL[packet.source.family];
  if (packet.protocol === vital.protocol) {
    const hit = hasType(packet.icmp_type, vital.types);
    if (hit === 'yes') return byBuiltin('accept', 'vital_icmp');
    if (hit === 'unknown') possible.push({ verdict: 'accept', reason: 'unknown_packet_detail' });
  }
  return (
    evaluateTracking(state, filter.node.drop_invalid, possible) ??
    evaluateBeforeRules(guest, filter, packet, possible) ??
    evaluateGuestRules(guest, filter, packet, possible) ??
    evaluateDefault(guest, filter, packet)
  );
}

/** The guest's verdict with everything that its chain may end with. */
function toOutcome(verdict: Verdict, last: Verdict, possible: readonly Possibility[]): Outcome<Verdict> {
  const ends = new Set([last, ...possible].map((end) => end.verdict));
  // A switch that could not be read may be off.
  if (verdict.verdict === 'unknown') ends.add('accept');
  return { verdict, possible: verdict.verdict === 'unknown' ? ends : new Set([verdict.verdict]) };
}

/** What a node with the nftables implementation does with a packet between the interface and the other end. */
export function evaluateNftablesChain(guest: PreparedGuest, filter: PreparedFilter, packet: Packet): Verdict {
  const { switches, enforcement } = guest;
  const { crossing } = filter;
  const possible: Possibility[] = [];
  // Without all three switches the interface has no chain, and nothing in front of it drops packets.
  const last =
    enforcement.status === 'off'
      ? notEnforced(enforcement.reasons[0])
      : evaluateGuestChain(guest, filter, packet, possible);
  const verdict = withSwitches(conclude(last, possible), switches, 'guest');
  if (!crossing) return verdict;
  const own = toOutcome(verdict, last, possible);
  const between = crossing.through(packet);
  const found = packet.direction === 'in' ? mergeInSeries(between, own, own) : mergeInSeries(own, between, own);
  return found.verdict === between.verdict ? toGuestVerdict(between.verdict) : verdict;
}
