import { normalizeMac } from '../net/mac-address';
import { addressSetHas } from './address-set';
import type { CompiledRule } from './compile-rule';
import { ICMPV6, UDP } from './data/protocols';
import { beforeDefault, isSmurf, rejectOutcome } from './default-chain';
import type { Packet } from './packet';
import type { PreparedGuest } from './prepare-guest';
import { firstMatch } from './rule-index';
import type { Builtin, DecidedBy, DefiniteVerdict, RulePlace, UnknownReason, Verdict } from './verdict';

/** Something that may have decided before: what it would have said, why that is not known, and where it stands. */
type Possibility = { verdict: DefiniteVerdict | 'unknown'; reason: UnknownReason; place?: RulePlace };

const settled = (verdict: DefiniteVerdict, decided_by: DecidedBy): Verdict => ({ verdict, decided_by });
const builtin = (verdict: DefiniteVerdict, name: Builtin): Verdict => settled(verdict, { kind: 'builtin', name });

const undecided = (reason: UnknownReason, possible: readonly Possibility[]): Verdict => ({
  verdict: 'unknown',
  decided_by: { kind: 'unknown', reason, places: possible.flatMap(({ place }) => (place ? [place] : [])) },
});

/** A possibility that ends as the certain decision changes nothing. */
function conclude(certain: Verdict, possible: readonly Possibility[]): Verdict {
  if (possible.length === 0) return certain;
  const open = possible.find(({ verdict }) => verdict !== certain.verdict);
  return open ? undecided(open.reason, possible) : certain;
}

const NDP_TYPES = { in: [133, 134, 135, 136], out: [133, 135, 136] };
/** Client and server port of DHCP by family. */
const DHCP_PORTS = { 4: [68, 67], 6: [546, 547] } as const;

/** Rules that stand before the guest's own. Returns the one that certainly decides, else fills in what may. */
function beforeRules(guest: PreparedGuest, packet: Packet, possible: Possibility[]): Verdict | null {
  const { direction, protocol, icmp_type: type } = packet;
  const { family } = packet.source;
  const { options } = guest;
  if (!options) return undecided('unknown_guest_options', possible);
  if (direction === 'in') {
    if (guest.blacklist) {
      const listed = addressSetHas(guest.blacklist, packet.source);
      if (listed === 'yes') return builtin('drop', 'blacklist');
      if (listed === 'unknown') possible.push({ verdict: 'drop', reason: 'unknown_reference' });
    }
    if (isSmurf(packet)) return builtin('drop', 'smurf');
  }
  if (options.dhcp && protocol === UDP) {
    const [client, server] = DHCP_PORTS[family];
    const { source_port: sport, destination_port: dport } = packet;
    const from = direction === 'out' ? client : server;
    const to = direction === 'out' ? server : client;
    if ((sport ?? from) === from && (dport ?? to) === to) {
      if (sport !== undefined && dport !== undefined) return builtin('accept', 'dhcp');
      possible.push({ verdict: 'accept', reason: 'unknown_packet_detail' });
    }
  }
  const icmpv6 = family === 6 && protocol === ICMPV6;
  if (direction === 'out') {
    if (options.macfilter && packet.source_mac !== undefined && guest.mac !== null) {
      if (normalizeMac(packet.source_mac) !== guest.mac) return builtin('drop', 'mac_filter');
    }
    if (icmpv6 && !options.radv) {
      if (type === 134) return builtin('drop', 'router_advertisement');
      if (type === undefined) possible.push({ verdict: 'drop', reason: 'unknown_packet_detail' });
    }
    if (guest.ip_filter) {
      const allowed = addressSetHas(guest.ip_filter, packet.source);
      if (allowed === 'no') return builtin('drop', 'ip_filter');
      if (allowed === 'unknown') possible.push({ verdict: 'drop', reason: 'unknown_reference' });
    }
  }
  if (icmpv6 && options.ndp) {
    const passes = type === undefined || NDP_TYPES[direction].includes(type) || (type === 134 && options.radv);
    if (passes && type !== undefined) return builtin('accept', 'ndp');
    if (passes) possible.push({ verdict: 'accept', reason: 'unknown_packet_detail' });
  }
  return null;
}

const rejects = (guest: PreparedGuest, packet: Packet) =>
  guest.nftables && packet.direction === 'in' ? 'drop' : rejectOutcome(packet);

function outcomeOf(guest: PreparedGuest, rule: CompiledRule, packet: Packet): DefiniteVerdict | 'unknown' {
  return rule.action === 'reject' ? rejects(guest, packet) : rule.action;
}

function byDefault(guest: PreparedGuest, packet: Packet, possible: Possibility[]): Verdict {
  const policy = guest.options?.[packet.direction === 'in' ? 'policy_in' : 'policy_out'] ?? 'DROP';
  const decided_by: DecidedBy = { kind: 'default', policy };
  if (policy === 'ACCEPT') return settled('accept', decided_by);
  const reject = rejects(guest, packet);
  for (const { name, verdict, certain } of beforeDefault(policy, packet, reject)) {
    if (certain) return builtin(verdict, name);
    possible.push({ verdict, reason: 'unknown_packet_detail' });
  }
  return settled(policy === 'DROP' ? 'drop' : reject, decided_by);
}

function throughChain(guest: PreparedGuest, packet: Packet): Verdict {
  const possible: Possibility[] = [];
  const early = beforeRules(guest, packet, possible);
  if (early) return early.verdict === 'unknown' ? early : conclude(early, possible);
  const match = firstMatch(guest.index(packet.direction, packet.source.family), packet, (rule, what) => {
    const reason =
      what === 'packet'
        ? 'unknown_packet_detail'
        : rule.action === 'unknown'
          ? guest.rules_reason
          : 'unknown_reference';
    possible.push({ verdict: outcomeOf(guest, rule, packet), reason, place: rule.place });
  });
  const outcome = match && outcomeOf(guest, match, packet);
  // A rule without a known outcome is never certain to match.
  if (match && outcome && outcome !== 'unknown') {
    return conclude(settled(outcome, { kind: 'rule', ...match.place }), possible);
  }
  return conclude(byDefault(guest, packet, possible), possible);
}

/**
 * What the hypervisor's packet filter does with a packet at the prepared interface, and what decides it. New rules do
 * not touch established connections, so packets of those are accepted before any rule. Pure; about a microsecond.
 */
export function evaluate(guest: PreparedGuest, packet: Packet): Verdict {
  const { enforcement } = guest;
  if (enforcement.status === 'off') {
    return settled('accept', { kind: 'not_enforced', reason: enforcement.reasons[0] });
  }
  const state = packet.state ?? 'new';
  if (state === 'established' || state === 'related') return builtin('accept', 'established');
  const inForce = state === 'invalid' ? builtin('drop', 'invalid') : throughChain(guest, packet);
  const verdict =
    inForce.verdict === 'accept' && packet.direction === 'in' && guest.options?.ips
      ? undecided('unknown_inspection', [])
      : inForce;
  // Whether or not the filter is on, an accepted packet passes.
  if (enforcement.status === 'on' || verdict.verdict === 'accept') return verdict;
  return undecided(enforcement.reasons[0], []);
}
