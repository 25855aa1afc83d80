import type { IMPACT_OUTCOMES, IMPACT_UNKNOWN_REASONS } from '../choices';
import { hasPorts } from '../firewall/data/protocols';
import type { LiveRule } from '../firewall/live-state';
import { parseLivePorts } from '../firewall/port-match';
import type { PreparedGuest } from '../firewall/prepare-guest';
import { type Addresses, type Box, buildBox, getIcmpProtocol } from '../firewall/space/box';
import { broadcastSpans, MULTICAST } from '../firewall/space/cut';
import { decompose } from '../firewall/space/decompose';
import { equalSpans, intersectSpans, joinSpans, subtractSpans } from '../firewall/space/spans';
import type { DefiniteVerdict } from '../firewall/verdict';
import { getFlowProtocolNumber } from '../flow/protocols';
import { EPHEMERAL_FROM } from '../flow/service-port';
import { computeFlowContext, interfacesAt } from '../flow-context/compute-flow-context';
import type { FlowDecider, FlowFacts } from '../flow-context/flow-context';
import type { GuestContext } from '../flow-context/guest-context';
import { openingPackets } from '../flow-context/opening-packets';
import { cidrBounds, cidrContains, parseCidr } from '../net/cidr';
import { type IpAddress, parseIp } from '../net/ip-address';

/** Flows of one direction between two ends that no rule distinguishes, with what is stored of them. */
export type ObservedConversation = Omit<FlowFacts, 'source_ip' | 'destination_ip' | 'decision'> & {
  readonly source_workload_id: string | null;
  readonly destination_workload_id: string | null;
  /** Null: only the prefix is stored. */
  readonly source_ip: string | null;
  readonly destination_ip: string | null;
  /** The known subnet of the end, or the network by which ends outside are collapsed. */
  readonly source_prefix: string;
  readonly destination_prefix: string;
  readonly source_internal: boolean;
  readonly destination_internal: boolean;
  /** The answering direction: the client is the destination. */
  readonly reply: boolean;
  readonly service_port: number | null;
  readonly bytes: number;
  readonly packets: number;
  readonly flows: number;
  readonly last_seen_at: string;
};

/** Guest before and after, ready for evaluation; null: not known. The same object where nothing changes. */
export type ContextPair = { readonly before: GuestContext | null; readonly after: GuestContext | null };

export type ImpactOutcome = (typeof IMPACT_OUTCOMES)[number];
export type UnknownReason = (typeof IMPACT_UNKNOWN_REASONS)[number];

/** What decides at one end. */
export type EndDecision = {
  readonly workload_id: string;
  readonly verdict: DefiniteVerdict | 'unknown';
  /** Null: the guest could not be read. */
  readonly by: FlowDecider | null;
  readonly unknown_reason: UnknownReason | null;
};

export type Replayed = {
  readonly outcome: ImpactOutcome;
  readonly unknown_reason: UnknownReason | null;
  readonly before: EndDecision;
  readonly after: EndDecision;
};

/** What is known about workloads. @property pairOf null: no workload whose rules are looked at */
export type ReplayPlaces = {
  readonly pairOf: (workloadId: string) => ContextPair | null;
  readonly addressesOf: (workloadId: string) => readonly IpAddress[];
};

export type End = 'source' | 'destination';

/** Fields of one end. Names that are put together each time take longer to look up than all else. */
export const FIELDS = {
  source: {
    workload_id: 'source_workload_id',
    ip: 'source_ip',
    prefix: 'source_prefix',
    internal: 'source_internal',
    port: 'source_port',
  },
  destination: {
    workload_id: 'destination_workload_id',
    ip: 'destination_ip',
    prefix: 'destination_prefix',
    internal: 'destination_internal',
    port: 'destination_port',
  },
} as const;

type Decided = Omit<EndDecision, 'workload_id'>;

const UNREADABLE: Decided = { verdict: 'unknown', by: null, unknown_reason: 'unreadable' };
const NOT_STORED = ['unknown_interface', 'unknown_protocol', 'unknown_opening', 'unknown_packet_detail'];

function decided(verdict: DefiniteVerdict | 'unknown', by: FlowDecider): Decided {
  if (verdict !== 'unknown') return { verdict, by, unknown_reason: null };
  const stored = by.kind !== 'unknown' || !NOT_STORED.includes(by.reason);
  return { verdict, by, unknown_reason: stored ? 'unreadable' : 'not_stored' };
}

const undecided = (unknown_reason: UnknownReason): Decided => ({
  verdict: 'unknown',
  by: { kind: 'unknown', reason: unknown_reason === 'not_stored' ? 'unknown_opening' : 'unknown_address', places: [] },
  unknown_reason,
});

/** Parts of a set of possible packets that are looked at; more are too many. */
const MOST_PARTS = 4_096;

const blocks = (verdict: DefiniteVerdict | 'unknown') => (verdict === 'unknown' ? null : verdict !== 'accept');

/** What all have in common: whether they pass. Null: some do and others do not. */
function mergeDecided(all: Iterable<Decided>): Decided | null {
  let found: Decided | null = null;
  for (const one of all) {
    if (found && blocks(found.verdict) !== blocks(one.verdict)) return null;
    found ??= one;
  }
  return found;
}

type Spans = { readonly family: 4 | 6; readonly spans: Addresses['spans'] };

/** Addresses that an end may have had: the one that is stored, those of its workload in the stored network, or all of that. */
function addressesAt(flow: ObservedConversation, end: End, addressesOf: ReplayPlaces['addressesOf']): Spans | null {
  const cidr = parseCidr(flow[FIELDS[end].ip] ?? flow[FIELDS[end].prefix]);
  if (!cidr) return null;
  const { family } = cidr.address;
  const { first, last } = cidrBounds(cidr);
  const workload = first.value === last.value ? null : flow[FIELDS[end].workload_id];
  const known = (workload === null ? [] : addressesOf(workload)).filter((ip) => cidrContains(cidr, ip));
  if (known.length === 0) return { family, spans: [{ first: first.value, last: last.value }] };
  return { family, spans: joinSpans(known.map(({ value }) => ({ first: value, last: value }))) };
}

/** Senders of a network: neither groups nor broadcast addresses, whose packets a node drops in front of all rules. */
function senders(spans: Addresses['spans'], family: 4 | 6, { filters }: PreparedGuest): Addresses {
  if (family === 6) return { spans: subtractSpans(spans, MULTICAST[6]) };
  const broadcasts = filters.map(({ node }) => node.broadcasts);
  const never = joinSpans([...MULTICAST[4], ...broadcasts.flatMap((known) => broadcastSpans(known))]);
  const left = subtractSpans(spans, never);
  return { spans: left.length > 0 ? left : spans, ...(broadcasts.includes(null) && { last_octet: 'other' as const }) };
}

/** A conversation as its opening packets are possible: what is not stored is any. */
type Possible = { readonly from: End; readonly box: Box };

function possiblePackets(
  flow: ObservedConversation,
  protocol: number,
  addressesOf: ReplayPlaces['addressesOf'],
): Possible[] {
  const [source, destination] = [
    addressesAt(flow, 'source', addressesOf),
    addressesAt(flow, 'destination', addressesOf),
  ];
  if (!source || !destination || source.family !== destination.family) return [];
  const { family } = source;
  const { icmp_type: type, icmp_code: code } = flow;
  const opened: readonly End[] = flow.initiator ? [flow.initiator] : ['source', 'destination'];
  return opened.map((from): Possible => {
    const [sender, receiver] = from === 'source' ? [source, destination] : [destination, source];
    const to = from === 'source' ? 'destination' : 'source';
    const [port, source_port] = [flow[FIELDS[to].port], flow[FIELDS[from].port]];
    const box = buildBox({
      family,
      sources: sender.spans,
      destinations: receiver.spans,
      protocols: [protocol],
      ...(port !== null && { ports: [{ first: port, last: port }] }),
      ...(source_port !== null && { source_ports: [{ first: source_port, last: source_port }] }),
      ...(typeof type === 'number' && { icmp: [{ type, ...(typeof code === 'number' && { code }) }] }),
    });
    return { from, box };
  });
}

/** The set with the addresses of one of its packets only. */
const withoutPrefixes = (box: Box, source: bigint, destination: bigint): Box => ({
  ...box,
  sources: { spans: [{ first: source, last: source }] },
  destinations: { spans: [{ first: destination, last: destination }] },
});

/** What becomes of all packets that may have opened a conversation, at one interface. */
function decidePossible(guest: PreparedGuest, end: End, possible: readonly Possible[]): Decided {
  let left = MOST_PARTS;
  const getDirection = ({ from }: Possible) => (from === end ? ('out' as const) : ('in' as const));
  function* parts(
    boxOfPossible: (each: Possible) => Box,
  ): Generator<Decided & { each: Possible; at: [bigint, bigint] }> {
    for (const each of possible) {
      for (const { verdict, packet } of decompose(guest, getDirection(each), boxOfPossible(each))) {
        left -= 1;
        if (left < 0) return;
        const at: [bigint, bigint] = [packet.source.value, packet.destination.value];
        yield { ...decided(verdict.verdict, verdict.decided_by as FlowDecider), each, at };
      }
    }
  }
  const whole = ({ box }: Possible): Box => ({ ...box, sources: senders(box.sources.spans, box.family, guest) });
  const [first] = parts(whole);
  if (!first) return undecided('not_stored');
  left = MOST_PARTS;
  const common = mergeDecided(parts(whole));
  if (left < 0) return undecided('too_many');
  if (common) return { verdict: common.verdict, by: common.by, unknown_reason: common.unknown_reason };
  // With single addresses it is decided: then it is these that the rules distinguish.
  left = MOST_PARTS;
  const single = mergeDecided(
    parts(({ from, box }) => {
      const [from_ip, to_ip] = first.each.from === from ? first.at : [first.at[1], first.at[0]];
      return withoutPrefixes(box, from_ip, to_ip);
    }),
  );
  return undecided(single ? 'prefix_split' : 'not_stored');
}

/** Whether everything that rules look at is stored of a flow. */
function isComplete(flow: ObservedConversation, protocol: number): boolean {
  if (flow.source_ip === null || flow.destination_ip === null) return false;
  if (hasPorts(protocol)) return flow.source_port !== null && flow.destination_port !== null;
  const family = parseIp(flow.source_ip)?.family ?? 4;
  return protocol !== getIcmpProtocol(family) || typeof flow.icmp_type === 'number';
}

/** What no log line says anything about. Field by field: for very many conversations a copy of all costs more than to evaluate them. */
const toFlowFacts = (flow: ObservedConversation): FlowFacts => ({
  source_ip: flow.source_ip ?? '',
  destination_ip: flow.destination_ip ?? '',
  protocol: flow.protocol,
  source_port: flow.source_port,
  destination_port: flow.destination_port,
  decision: 'observed',
  initiator: flow.initiator,
  icmp_type: flow.icmp_type,
  icmp_code: flow.icmp_code,
  workload_id: flow.workload_id,
  nic: flow.nic,
});

/** Decides one conversation at one end, for any state of the guest there. */
function createDecider(flow: ObservedConversation, end: End, addressesOf: ReplayPlaces['addressesOf']) {
  const protocol = getFlowProtocolNumber(flow.protocol);
  const facts = toFlowFacts(flow);
  if (protocol === null || protocol === 0 || isComplete(flow, protocol)) {
    const openings = openingPackets(facts, end);
    return (guest: GuestContext): Decided => {
      const { verdict, decided_by } = computeFlowContext(guest, facts, end, openings);
      return decided(verdict, decided_by);
    };
  }
  const possible = possiblePackets(flow, protocol, addressesOf);
  return (guest: GuestContext): Decided => {
    const all = interfacesAt(guest, facts).map(({ live }) => decidePossible(live, end, possible));
    return mergeDecided(all) ?? undecided('not_stored');
  };
}

/** The first end that blocks, else the first that is unknown; -1: all let it pass. */
function findDecisiveEnd(ends: readonly EndDecision[]): number {
  const blocked = ends.findIndex(({ verdict }) => blocks(verdict) === true);
  return blocked >= 0 ? blocked : ends.findIndex(({ verdict }) => verdict === 'unknown');
}

function computeOutcome(before: EndDecision, after: EndDecision): ImpactOutcome {
  const [was, is] = [blocks(before.verdict), blocks(after.verdict)];
  if (was === null || is === null) return 'unknown';
  if (was === is) return is ? 'still_blocked' : 'still_allowed';
  return is ? 'newly_blocked' : 'newly_allowed';
}

/**
 * What a change does to observed conversations: the packet that opened each is evaluated at both ends, with the rules before and
 * after, and passes where both let it. An end that is no known workload, or that the reader may not see, lets everything pass.
 * Null: no end is looked at.
 */
export function createReplayer({ pairOf, addressesOf }: ReplayPlaces) {
  return (flow: ObservedConversation): Replayed | null => {
    const order: readonly End[] = flow.reply ? ['destination', 'source'] : ['source', 'destination'];
    const ends = order.flatMap((end) => {
      const workload_id = flow[FIELDS[end].workload_id];
      const pair = workload_id === null ? null : pairOf(workload_id);
      if (!pair || workload_id === null) return [];
      const decideAt = createDecider(flow, end, addressesOf);
      const decide = (guest: GuestContext | null): EndDecision => {
        const { verdict, by, unknown_reason } = guest ? decideAt(guest) : UNREADABLE;
        return { workload_id, verdict, by, unknown_reason };
      };
      const before = decide(pair.before);
      return [{ before, after: pair.before === pair.after ? before : decide(pair.after) }];
    });
    const was = findDecisiveEnd(ends.map(({ before }) => before));
    const is = findDecisiveEnd(ends.map(({ after }) => after));
    // Where all let it pass, what changes is shown.
    const changed = Math.max(
      0,
      ends.findIndex(({ before, after }) => before !== after),
    );
    const shown = is >= 0 ? is : was >= 0 ? was : changed;
    const before = ends[was >= 0 ? was : shown]?.before;
    const after = ends[is >= 0 ? is : shown]?.after;
    if (!before || !after) return null;
    const outcome = computeOutcome(before, after);
    const reason = outcome === 'unknown' ? (after.unknown_reason ?? before.unknown_reason) : null;
    return { outcome, unknown_reason: reason, before, after };
  };
}

/** Ports that systems give to callers. */
const CALLERS = { first: EPHEMERAL_FROM, last: 65_535 };

/** Whether some rule distinguishes ports that systems give to callers: then these are read one by one. */
export function distinguishesCallers(rules: Iterable<Pick<LiveRule, 'sport'>>): boolean {
  for (const { sport } of rules) {
    if (!sport) continue;
    const ranges = parseLivePorts(sport)?.ranges ?? [];
    const within = intersectSpans(joinSpans(ranges), [CALLERS]);
    if (within.length > 0 && !equalSpans(within, [CALLERS])) return true;
  }
  return false;
}
