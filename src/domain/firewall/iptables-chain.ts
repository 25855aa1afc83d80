import { normalizeMac } from '../net/mac-address';
import { addressSetHas } from './address-set';
import { trackedState } from './connection-state';
import { ICMPV6, UDP } from './data/protocols';
import { listBuiltinHits } from './default-chain';
import { evaluateFrontChain, evaluateTracking } from './front-chain';
import { evaluateGuestRules } from './guest-rules';
import type { Packet } from './packet';
import type { PreparedFilter, PreparedGuest } from './prepare-guest';
import { rejectOutcome } from './reject-outcome';
import {
  byBuiltin,
  conclude,
  type DecidedBy,
  notEnforced,
  type Possibility,
  settled,
  undecided,
  type Verdict,
  withSwitches,
} from './verdict';

export const NDP_TYPES = { in: [133, 134, 135, 136], out: [133, 135, 136] } as const;
/** Client and server port of DHCP by family. */
export const DHCP_PORTS = { 4: [68, 67], 6: [546, 547] } as const;

/** Rules evaluated before the guest's own. Returns the one that certainly decides, else fills in what may. */
function evaluateBeforeRules(
  guest: PreparedGuest,
  filter: PreparedFilter,
  packet: Packet,
  possible: Possibility[],
): Verdict | null {
  const { direction, protocol, icmp_type: type } = packet;
  const { family } = packet.source;
  const { options } = guest;
  if (!options) return undecided('unknown_guest_options', possible);
  if (options.dhcp && protocol === UDP) {
    const [client, server] = DHCP_PORTS[family];
    const { source_port: sport, destination_port: dport } = packet;
    const from = direction === 'out' ? client : server;
    const to = direction === 'out' ? server : client;
    if ((sport ?? from) === from && (dport ?? to) === to) {
      if (sport !== undefined && dport !== undefined) return byBuiltin('accept', 'dhcp');
      possible.push({ verdict: 'accept', reason: 'unknown_packet_detail' });
    }
  }
  const icmpv6 = family === 6 && protocol === ICMPV6;
  if (direction === 'out') {
    if (options.macfilter && packet.source_mac !== undefined && guest.mac !== null) {
      if (normalizeMac(packet.source_mac) !== guest.mac) return byBuiltin('drop', 'mac_filter');
    }
    if (icmpv6 && !options.radv) {
      if (type === 134) return byBuiltin('drop', 'router_advertisement');
      if (type === undefined) possible.push({ verdict: 'drop', reason: 'unknown_packet_detail' });
    }
    if (filter.ip_filter) {
      const allowed = addressSetHas(filter.ip_filter, packet.source);
      if (allowed === 'no') return byBuiltin('drop', 'ip_filter');
      if (allowed === 'unknown') possible.push({ verdict: 'drop', reason: 'unknown_reference' });
    }
  }
  if (icmpv6 && options.ndp) {
    const passes =
      type === undefined || NDP_TYPES[direction].some((passed) => passed === type) || (type === 134 && options.radv);
    if (passes && type !== undefined) return byBuiltin('accept', 'ndp');
    if (passes) possible.push({ verdict: 'accept', reason: 'unknown_packet_detail' });
  }
  return null;
}

function evaluateDefault(
  guest: PreparedGuest,
  { node }: PreparedFilter,
  packet: Packet,
  possible: Possibility[],
): Verdict {
  const policy = guest.options?.[packet.direction === 'in' ? 'policy_in' : 'policy_out'] ?? 'DROP';
  const decided_by: DecidedBy = { kind: 'default', policy };
  if (policy === 'ACCEPT') return settled('accept', decided_by);
  for (const { name, verdict, certain, reason } of listBuiltinHits(policy, packet, node)) {
    if (certain && verdict !== 'unknown') return byBuiltin(verdict, name);
    possible.push({ verdict, reason });
  }
  if (policy === 'DROP') return settled('drop', decided_by);
  const reject = rejectOutcome(packet, node.broadcasts, 'iptables');
  return reject === 'unknown' ? undecided('unknown_node_networks', possible) : settled(reject, decided_by);
}

function evaluateGuestChain(
  guest: PreparedGuest,
  filter: PreparedFilter,
  packet: Packet,
  possible: Possibility[],
): Verdict {
  const refused = filter.refused[packet.source.family];
  if (refused) possible.push({ verdict: 'accept', reason: 'group_cannot_compile', place: refused });
  const verdict =
    evaluateBeforeRules(guest, filter, packet, possible) ??
    evaluateGuestRules(guest, filter, packet, possible) ??
    evaluateDefault(guest, filter, packet, possible);
  const inForce = conclude(verdict, possible);
  return inForce.verdict === 'accept' && packet.direction === 'in' && guest.options?.ips
    ? undecided('unknown_inspection')
    : inForce;
}

/** What a node with the iptables implementation does with a packet at the interface. */
export function evaluateIptablesChain(guest: PreparedGuest, filter: PreparedFilter, packet: Packet): Verdict {
  const { switches, enforcement } = guest;
  if (switches.cluster === false) return notEnforced('cluster_firewall_off');
  const state = trackedState(packet);
  if (state === 'established' && enforcement.status === 'off') return notEnforced(enforcement.reasons[0]);
  const possible: Possibility[] = [];
  // The node drops what is invalid wherever it forwards, also to interfaces without the firewall flag.
  const tracked = evaluateTracking(state, filter.node.drop_invalid, possible);
  if (tracked) return withSwitches(tracked, switches, 'cluster');
  if (switches.nic === false) return withSwitches(conclude(notEnforced('nic_flag_off'), possible), switches, 'cluster');
  const front = evaluateFrontChain(filter, packet, possible);
  if (front) return withSwitches(conclude(front, possible), switches, 'nic');
  if (switches.guest === false) {
    return withSwitches(conclude(notEnforced('guest_firewall_off'), possible), switches, 'nic');
  }
  return withSwitches(evaluateGuestChain(guest, filter, packet, possible), switches, 'guest');
}
