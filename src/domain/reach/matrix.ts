import { joinSpans, spansHave, subtractSpans } from '../firewall/space/spans';
import type { Service } from '../policy-tests/packet-set';
import { pointSpans, type TestEnd, type TestPlace } from '../policy-tests/test-end';
import { getAddressAnswers, type Strangers, sumAnswersIn, toValue, visitAnswers } from './address-answers';
import { ANSWER_BITS, buildPairs, type FamilyPairs } from './pairs';
import type { Identify } from './profiles';
import { type EndSpots, listOwnAddresses, type Spot } from './spots';

/** Addresses of places that belong together. */
export type Segment = { readonly id: string; readonly places: readonly TestPlace[] };

/** By row and column, `ANSWER_BITS` of all packets from the one segment to the other; 0: they exchange none. */
export type SegmentMatrix = readonly (readonly number[])[];

/** All places of the segments, each once with the addresses that some segment has. */
export function uniteSegments(segments: readonly Segment[], outside: TestEnd['outside']): TestEnd {
  const found = new Map<string, { place: TestPlace; addresses: Record<4 | 6, Set<bigint>> }>();
  for (const place of segments.flatMap(({ places }) => places)) {
    const known = found.get(place.key) ?? { place, addresses: { 4: new Set(), 6: new Set() } };
    found.set(place.key, known);
    for (const family of [4, 6] as const)
      for (const value of place.addresses[family]) known.addresses[family].add(value);
  }
  const ascending = (values: Set<bigint>) => [...values].sort((a, b) => (a < b ? -1 : 1));
  const places = [...found.values()].map(({ place, addresses }) => ({
    ...place,
    addresses: { 4: ascending(addresses[4]), 6: ascending(addresses[6]) },
  }));
  return { places, outside, missing: [] };
}

/** Of each address of an end, the numbers of the segments that have it. */
function listSegments({ spots, family }: EndSpots, segments: readonly Segment[]): number[][] {
  const byPlace = new Map<string, { segment: number; values: Set<bigint> }[]>();
  for (const [segment, { places }] of segments.entries()) {
    for (const { key, addresses } of places) {
      const known = byPlace.get(key) ?? [];
      byPlace.set(key, known);
      known.push({ segment, values: new Set(addresses[family]) });
    }
  }
  return spots.map(({ place, value }) =>
    (byPlace.get(place.key) ?? []).flatMap(({ segment, values }) => (values.has(value) ? [segment] : [])),
  );
}

const { accept, deny, unknown } = ANSWER_BITS;
const ALL = [accept, deny, unknown];

/** What two ends make of a packet: it has to pass both. */
const bothBits = (a: number, b: number): number =>
  a === deny || b === deny ? deny : a === unknown || b === unknown ? unknown : accept;
/** Of all answers of two ends what may come of them. */
const combine = (a: number, b: number): number =>
  ALL.filter((bit) => a & bit).reduce(
    (sum, one) => ALL.filter((bit) => b & bit).reduce((all, other) => all | bothBits(one, other), sum),
    0,
  );
const isOne = (answers: number): boolean => ALL.includes(answers);

/**
 * By the answers of both ends (8 × 8): what surely comes of them, and what may. Where one end does the same with all services, both are
 * the same. Where both divide them, only what one end denies is sure: it depends on services what passes both.
 */
const POSSIBLE = Uint8Array.from({ length: 64 }, (_, at) => combine(at >> 3, at & 7));
const SURE = POSSIBLE.map((possible, at) =>
  isOne(at >> 3) || isOne(at & 7) ? possible : ((((at >> 3) | at) & deny) as number),
);

/** Destinations that are compared with all sources at a time: so much memory. */
const BLOCK = 512;
/** Addresses whose services may be compared one by one. That of so many places fits into memory, whatever their rules. */
export const MATRIX_LIMITS = { compared: 2_000 };
/** Sources after which other work gets its turn. */
const CHUNK = 16;

/** Too many places divide services, each in its own way, to compare them in memory: fewer services are the remedy. */
export class TooManyServices extends Error {
  override readonly name = 'TooManyServices';
}

/** The addresses of a family with what is the same in all questions about them. */
class MatrixFamily {
  readonly #end: EndSpots;
  readonly #values: readonly (number | bigint)[];
  readonly #strangers = new Map<string, Strangers>();

  constructor(
    readonly pairs: FamilyPairs,
    readonly service: Service,
  ) {
    this.#end = pairs.from;
    const { spots, family } = pairs.from;
    this.#values = spots.map(({ value }) => toValue(value, family));
  }

  get size(): number {
    return this.#values.length;
  }

  #own(at: number): readonly bigint[] {
    const { place } = this.#end.spots[at] as Spot;
    return listOwnAddresses(place, this.#end);
  }

  /** What the place of an address does with what others send it, or it sends them, by their numbers; 0 where no packets are exchanged. */
  fill(
    at: number,
    direction: 'in' | 'out',
    range: readonly [number, number],
    set: (other: number, answers: number) => void,
  ) {
    const spot = this.#end.spots[at] as Spot;
    const { family } = this.pairs;
    visitAnswers(getAddressAnswers(spot, direction, family, this.service), this.#values, range, family, set);
    this.#end.visit({ spans: pointSpans(this.#own(at)) }, (other) => {
      if (other >= range[0] && other < range[1]) set(other, 0);
    });
  }

  /** The same with addresses that no place has. */
  outside(at: number, direction: 'in' | 'out'): number {
    const spot = this.#end.spots[at] as Spot;
    const { family } = this.pairs;
    const own = this.#own(at).filter((address) => spansHave(this.#end.outside, address));
    const key = own.join();
    const spans = this.#strangers.get(key) ?? this.#findStrangers(own);
    this.#strangers.set(key, spans);
    return sumAnswersIn(getAddressAnswers(spot, direction, family, this.service), spans, family);
  }

  #findStrangers(own: readonly bigint[]): Strangers {
    const { family, outside } = this.#end;
    const spans = own.length > 0 ? subtractSpans(outside, joinSpans(pointSpans(own))) : outside;
    return spans.map(({ first, last }) => ({ first: toValue(first, family), last: toValue(last, family) }));
  }
}

type Limits = {
  /** Gives other work its turn. */
  readonly breathe: () => Promise<void>;
  /** Addresses whose services may be compared. */
  readonly most: number;
};

async function addFamily(cells: Cells, family: MatrixFamily, segments: readonly Segment[], { breathe, most }: Limits) {
  const { pairs, size } = family;
  const own = listSegments(pairs.from, segments);
  const outside = segments.length;
  const incoming = new Uint8Array(size * Math.min(BLOCK, size));
  const outgoing = new Uint8Array(Math.min(BLOCK, size));
  for (let from = 0; from < size; from += BLOCK) {
    const to = Math.min(from + BLOCK, size);
    const width = to - from;
    for (let at = from; at < to; at++) {
      if (at % CHUNK === 0) await breathe();
      family.fill(at, 'in', [0, size], (source, answers) => {
        incoming[source * width + at - from] = answers;
      });
      const answers = family.outside(at, 'in');
      for (const column of own[at] ?? []) cells.add(outside, column, answers);
    }
    for (let source = 0; source < size; source++) {
      if (source % CHUNK === 0) await breathe();
      const rows = own[source] ?? [];
      if (rows.length === 0) continue;
      if (from === 0) {
        const answers = family.outside(source, 'out');
        for (const row of rows) cells.add(row, outside, answers);
      }
      family.fill(source, 'out', [from, to], (destination, answers) => {
        outgoing[destination - from] = answers;
      });
      for (let destination = from; destination < to; destination++) {
        const one = outgoing[destination - from] as number;
        const other = incoming[source * width + destination - from] as number;
        if (one === 0 || other === 0) continue;
        const at = (one << 3) | other;
        const [sure, possible] = [SURE[at] as number, POSSIBLE[at] as number];
        for (const row of rows) {
          for (const column of own[destination] as number[]) {
            if (cells.has(row, column, possible)) continue;
            cells.add(row, column, sure);
            if (cells.has(row, column, possible)) continue;
            if (pairs.loaded >= most) throw new TooManyServices();
            cells.add(row, column, pairs.pair(source, destination)?.answers ?? 0);
          }
        }
      }
    }
  }
}

/** `ANSWER_BITS` by row and column. */
class Cells {
  readonly #bits: Uint8Array;

  constructor(readonly size: number) {
    this.#bits = new Uint8Array(size * size);
  }

  add(row: number, column: number, answers: number): void {
    const at = row * this.size + column;
    this.#bits[at] = (this.#bits[at] as number) | answers;
  }

  has(row: number, column: number, answers: number): boolean {
    return ((this.#bits[row * this.size + column] as number) & answers) === answers;
  }

  toRows(): number[][] {
    return Array.from({ length: this.size }, (_, row) => [
      ...this.#bits.subarray(row * this.size, (row + 1) * this.size),
    ]);
  }
}

/**
 * What passes between segments; what is outside of all workloads is the last row and column. First each end is asked what it does with all services
 * together, which is enough for most pairs; services are compared where both ends divide them, and only until a cell has all that can come of it.
 * @throws TooManyServices
 */
export async function computeMatrix(
  segments: readonly Segment[],
  outside: TestEnd['outside'],
  service: Service,
  identify: Identify,
  { breathe = async () => {}, most = MATRIX_LIMITS.compared }: Partial<Limits> = {},
): Promise<SegmentMatrix> {
  const ends = uniteSegments(segments, outside);
  const cells = new Cells(segments.length + 1);
  for (const pairs of buildPairs(ends, ends, service, identify))
    await addFamily(cells, new MatrixFamily(pairs, service), segments, { breathe, most });
  return cells.toRows();
}
