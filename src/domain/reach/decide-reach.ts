import type { Packet } from '../firewall/packet';
import { type Addresses, type Box, findWitness } from '../firewall/space/box';
import type { Service } from '../policy-tests/packet-set';
import { type DecidedBy, partsAt } from '../policy-tests/place-parts';
import { type Answer, pointSpans, type TestEnd, type TestPlace } from '../policy-tests/test-end';
import { ANSWER_BITS, buildPairs, type FamilyPairs, type PairSlice } from './pairs';
import type { Identify } from './profiles';
import { type ServiceSet, serviceText } from './services';
import type { Spot } from './spots';

/** One end of a part: addresses of places, or of none. */
export type PartEnd = { readonly spots: readonly Spot[] } | { readonly outside: Addresses };

/** Whether the filters of one place let a packet through, and what of them decides. */
export type Stage = {
  readonly at: 'source' | 'destination';
  readonly place: TestPlace;
  readonly answer: Answer;
  readonly interface: string | null;
  readonly decided_by: DecidedBy;
};

/** Packets with one verdict, decided by the same at each end. */
export type ReachPart = {
  readonly family: 4 | 6;
  readonly verdict: Answer;
  readonly from: PartEnd;
  readonly to: PartEnd;
  readonly services: readonly ServiceSet[];
  /** Pairs of addresses; all that is outside counts as one. */
  readonly pairs: number;
  readonly witness: Packet;
  /** What decides the witness; a part between two places has two. */
  readonly stages: readonly Stage[];
};

export const REACH_ANSWERS = ['yes', 'no', 'some', 'unknown'] as const;
export type ReachAnswer = (typeof REACH_ANSWERS)[number];

export type ReachDecision = {
  readonly answer: ReachAnswer;
  /** What is not known, or missing; null: nothing that the answer depends on. */
  readonly reason: TestEnd['missing'][number] | { readonly reason: 'no_pair' | 'undecided' } | null;
  readonly parts: readonly ReachPart[];
  readonly parts_total: number;
  /** The first stage that stops a packet; null: none does for sure. */
  readonly blocked_by: { readonly part: ReachPart; readonly stage: Stage } | null;
};

type Rectangle = { readonly from: PartEnd; readonly to: PartEnd; readonly slice: PairSlice; readonly pairs: number };

/** Lists with equal numbers are united, those of their other end joined. */
function uniteEqual<T>(
  items: readonly (readonly [numbers: readonly number[], other: T])[],
): [readonly number[], T[]][] {
  const found = new Map<string, [readonly number[], T[]]>();
  for (const [numbers, other] of items) {
    const key = numbers.join();
    const known = found.get(key);
    if (known) known[1].push(other);
    else found.set(key, [numbers, [other]]);
  }
  return [...found.values()];
}

const sliceKey = ({ verdict, source, destination, services }: PairSlice) =>
  [verdict, source, destination, ...services.map(serviceText).sort()].join('\n');

type Candidate = {
  readonly slice: PairSlice;
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
};

/** Pairs of places, united to as few sets of sources and destinations as have the same verdict and deciders. */
function listBetweenPlaces(pairs: FamilyPairs): Rectangle[] {
  const rows = new Map<number, { readonly slices: readonly PairSlice[]; readonly sources: Map<number, number[]> }>();
  for (let destination = 0; destination < pairs.to.spots.length; destination++) {
    for (let source = 0; source < pairs.from.spots.length; source++) {
      const pair = pairs.pair(source, destination);
      if (!pair) continue;
      const row = rows.get(pair.id) ?? { slices: pair.slices, sources: new Map<number, number[]>() };
      rows.set(pair.id, row);
      const known = row.sources.get(destination);
      if (known) known.push(source);
      else row.sources.set(destination, [source]);
    }
  }
  const bySlice = new Map<string, Candidate[]>();
  for (const { slices, sources } of rows.values()) {
    const united = uniteEqual([...sources].map(([destination, list]) => [list, destination] as const));
    for (const slice of slices) {
      const key = sliceKey(slice);
      const known = bySlice.get(key) ?? [];
      bySlice.set(key, known);
      for (const [list, destinations] of united) known.push({ slice, sources: list, destinations });
    }
  }
  const { from, to } = pairs;
  const toSpots = (side: typeof from, numbers: readonly number[]) => numbers.flatMap((at) => side.spots[at] ?? []);
  const ascending = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);
  return [...bySlice.values()].flatMap((candidates) => {
    const [{ slice } = { slice: null }] = candidates;
    if (!slice) return [];
    const bySources = uniteEqual(candidates.map(({ sources, destinations }) => [sources, destinations] as const));
    const byDestinations = uniteEqual(bySources.map(([sources, lists]) => [ascending(lists.flat()), sources] as const));
    return byDestinations.map(([destinations, lists]) => {
      const sources = ascending(lists.flat());
      const ends = { from: { spots: toSpots(from, sources) }, to: { spots: toSpots(to, destinations) } };
      return { ...ends, slice, pairs: sources.length * destinations.length };
    });
  });
}

/** Packets from or to addresses of no place: only the other end decides. */
function listOutside(pairs: FamilyPairs, side: 'source' | 'destination'): Rectangle[] {
  const own = side === 'source' ? pairs.from : pairs.to;
  const found = new Map<string, { slice: PairSlice; addresses: Addresses; spots: Spot[] }>();
  for (const [at, spot] of own.spots.entries()) {
    const { outside } = side === 'source' ? pairs.out(at) : pairs.into(at);
    for (const { addresses, answer, decider, open, services } of outside) {
      const deciders = { source: null, destination: null, [side]: decider };
      const slice: PairSlice = { verdict: answer, open, services, ...deciders };
      const spans = addresses.spans.map(({ first, last }) => `${first}-${last}`).join();
      const key = `${sliceKey(slice)}\n${addresses.last_octet} ${spans}`;
      const known = found.get(key);
      if (known) known.spots.push(spot);
      else found.set(key, { slice, addresses, spots: [spot] });
    }
  }
  return [...found.values()].map(({ slice, addresses, spots }) => {
    const [near, far] = [{ spots }, { outside: addresses }];
    return { ...(side === 'source' ? { from: near, to: far } : { from: far, to: near }), slice, pairs: spots.length };
  });
}

const firstAddress = (end: PartEnd): Addresses =>
  'outside' in end ? end.outside : { spans: pointSpans(end.spots.slice(0, 1).map(({ value }) => value)) };

/** What the first place of an end does with one packet; null: no place is there. */
export function decideStage(end: PartEnd, at: Stage['at'], packet: Packet): Stage | null {
  const [spot] = 'spots' in end ? end.spots : [];
  if (!spot) return null;
  const port = (value: number | undefined) => (value === undefined ? [] : [{ first: value, last: value }]);
  const icmp = packet.icmp_type === undefined ? [] : port(packet.icmp_type * 256 + (packet.icmp_code ?? 0));
  const box: Box = {
    family: packet.source.family,
    protocols: [packet.protocol],
    icmp,
    destination_ports: port(packet.destination_port),
    source_ports: port(packet.source_port),
    sources: { spans: pointSpans([packet.source.value]) },
    destinations: { spans: pointSpans([packet.destination.value]) },
  };
  const [part] = partsAt(spot.place, at === 'source' ? 'out' : 'in', box);
  if (!part) throw new Error(`expected ${spot.place.key} to decide a packet`);
  const { answer, interface: nic, decided_by } = part;
  return { at, place: spot.place, answer, interface: nic, decided_by };
}

function toPart(family: 4 | 6, { from, to, slice, pairs }: Rectangle): ReachPart {
  const { verdict, services } = slice;
  const [service] = services;
  const witness =
    service && findWitness({ ...service, sources: firstAddress(from), destinations: firstAddress(to) }, 'in');
  if (!witness) throw new Error('expected a packet in each part');
  const stages = [decideStage(from, 'source', witness), decideStage(to, 'destination', witness)].filter(
    (one) => one !== null,
  );
  return { family, verdict, from, to, services, pairs, witness, stages };
}

const RANK: Readonly<Record<Answer, number>> = { accept: 0, unknown: 1, deny: 2 };

const isBlocked = ({ answer }: Stage) => answer === 'deny';

function toAnswer(answers: number, isMissing: boolean): ReachAnswer {
  const { accept, deny } = ANSWER_BITS;
  if ((answers & accept) !== 0 && (answers & deny) !== 0) return 'some';
  if (isMissing || (answers !== accept && answers !== deny)) return 'unknown';
  return answers === accept ? 'yes' : 'no';
}

/**
 * Whether packets of a service get from one end to another, for all pairs of addresses: each packet is in one of the parts. An
 * answer is `some` when some certainly pass and others certainly do not; what is missing or undecided leaves any other unknown.
 * @param limit parts that are made; those with most pairs of addresses, allowed ones first
 */
export function decideReach(
  from: TestEnd,
  to: TestEnd,
  service: Service,
  identify: Identify,
  limit = Number.POSITIVE_INFINITY,
): ReachDecision {
  const rectangles = buildPairs(from, to, service, identify).flatMap((pairs) =>
    [...listBetweenPlaces(pairs), ...listOutside(pairs, 'source'), ...listOutside(pairs, 'destination')].map(
      (rectangle) => ({ family: pairs.family, rectangle }),
    ),
  );
  const answers = rectangles.reduce((sum, { rectangle }) => sum | ANSWER_BITS[rectangle.slice.verdict], 0);
  rectangles.sort(
    (a, b) =>
      RANK[a.rectangle.slice.verdict] - RANK[b.rectangle.slice.verdict] || b.rectangle.pairs - a.rectangle.pairs,
  );
  const denied = rectangles.find(({ rectangle }) => rectangle.slice.verdict === 'deny');
  const shown = rectangles.slice(0, limit);
  const parts = shown.map(({ family, rectangle }) => toPart(family, rectangle));
  const part = denied && (parts[shown.indexOf(denied)] ?? toPart(denied.family, denied.rectangle));
  const stage = part?.stages.find(isBlocked);
  const [missing = null] = [...from.missing, ...to.missing];
  const none = answers === 0 ? ({ reason: 'no_pair' } as const) : null;
  const doubt = (answers & ANSWER_BITS.unknown) !== 0 ? ({ reason: 'undecided' } as const) : null;
  return {
    answer: toAnswer(answers, missing !== null),
    reason: missing ?? none ?? doubt,
    parts,
    parts_total: rectangles.length,
    blocked_by: part && stage ? { part, stage } : null,
  };
}
