import type { REACH_ANSWERS } from '../choices';
import type { Packet } from '../firewall/packet';
import { type Addresses, findWitness } from '../firewall/space/box';
import type { Service } from '../policy-tests/packet-set';
import { type Answer, pointSpans, type TestEnd } from '../policy-tests/test-end';
import { ANSWER_BITS, buildPairs, type FamilyPairs, type PairSlice, type Stage } from './pairs';
import type { Identify } from './profiles';
import { type ServiceSet, serviceText, uniteServices } from './services';
import type { Spot } from './spots';

/** One end of a part: addresses of places, or of none. */
export type PartEnd = { readonly spots: readonly Spot[] } | { readonly outside: Addresses };

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

const SIDES = ['source', 'destination'] as const;

type Rectangle = {
  readonly pairs: FamilyPairs;
  readonly from: PartEnd;
  readonly to: PartEnd;
  readonly slice: PairSlice;
  readonly count: number;
  /** Numbers of the first addresses. */
  readonly at: { readonly source?: number | undefined; readonly destination?: number | undefined };
};

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
      const at = { source: sources[0], destination: destinations[0] };
      return { pairs, ...ends, slice, count: sources.length * destinations.length, at };
    });
  });
}

/** Packets from or to addresses of no place: only the other end decides. */
function listOutside(pairs: FamilyPairs, side: 'source' | 'destination'): Rectangle[] {
  const own = side === 'source' ? pairs.from : pairs.to;
  const found = new Map<string, { slice: PairSlice; addresses: Addresses; spots: Spot[]; first: number }>();
  for (const [at, spot] of own.spots.entries()) {
    const { outside } = side === 'source' ? pairs.out(at) : pairs.into(at);
    for (const { addresses, answer, decider, open, services } of outside) {
      const deciders = { source: null, destination: null, [side]: decider };
      const slice: PairSlice = { verdict: answer, open, services, ...deciders };
      const spans = addresses.spans.map(({ first, last }) => `${first}-${last}`).join();
      const key = `${sliceKey(slice)}\n${addresses.last_octet} ${spans}`;
      const known = found.get(key);
      if (known) known.spots.push(spot);
      else found.set(key, { slice, addresses, spots: [spot], first: at });
    }
  }
  return [...found.values()].map(({ slice, addresses, spots, first }) => {
    const [near, far] = [{ spots }, { outside: addresses }];
    const ends = side === 'source' ? { from: near, to: far } : { from: far, to: near };
    return { pairs, ...ends, slice, count: spots.length, at: { [side]: first } };
  });
}

const firstAddress = (end: PartEnd): Addresses =>
  'outside' in end ? end.outside : { spans: pointSpans(end.spots.slice(0, 1).map(({ value }) => value)) };

function toPart({ pairs, from, to, slice, count, at }: Rectangle): ReachPart {
  const { verdict, services } = slice;
  const [service] = services;
  const witness =
    service && findWitness({ ...service, sources: firstAddress(from), destinations: firstAddress(to) }, 'in');
  if (!witness) throw new Error('expected a packet in each part');
  const stages = SIDES.flatMap((side) => {
    const [number, text] = [at[side], slice[side]];
    return number === undefined || text === null ? [] : [pairs.stage(side, number, text)];
  });
  return {
    family: pairs.family,
    verdict,
    from,
    to,
    services: uniteServices(services, true),
    pairs: count,
    witness,
    stages,
  };
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
  const rectangles = buildPairs(from, to, service, identify).flatMap((pairs) => [
    ...listBetweenPlaces(pairs),
    ...listOutside(pairs, 'source'),
    ...listOutside(pairs, 'destination'),
  ]);
  const answers = rectangles.reduce((sum, { slice }) => sum | ANSWER_BITS[slice.verdict], 0);
  rectangles.sort((a, b) => RANK[a.slice.verdict] - RANK[b.slice.verdict] || b.count - a.count);
  const denied = rectangles.find(({ slice }) => slice.verdict === 'deny');
  const shown = rectangles.slice(0, limit);
  const parts = shown.map(toPart);
  const part = denied && (parts[shown.indexOf(denied)] ?? toPart(denied));
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
