import type { Service } from '../policy-tests/packet-set';
import type { TestEnd, TestPlace } from '../policy-tests/test-end';
import { ANSWER_BITS, buildPairs, type FamilyPairs } from './pairs';
import type { Identify } from './profiles';
import type { EndSpots } from './spots';

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

function addFamily(cells: number[][], pairs: FamilyPairs, segments: readonly Segment[]): void {
  const own = listSegments(pairs.from, segments);
  const outside = segments.length;
  const add = (row: number, column: number, answers: number) => {
    const cell = cells[row];
    if (cell) cell[column] = (cell[column] ?? 0) | answers;
  };
  for (const [at, numbers] of own.entries()) {
    if (numbers.length === 0) continue;
    for (const { answer } of pairs.out(at).outside) for (const one of numbers) add(one, outside, ANSWER_BITS[answer]);
    for (const { answer } of pairs.into(at).outside) for (const one of numbers) add(outside, one, ANSWER_BITS[answer]);
    for (const [other, columns] of own.entries()) {
      const answers = columns.length > 0 ? (pairs.pair(at, other)?.answers ?? 0) : 0;
      if (answers === 0) continue;
      for (const row of numbers) for (const column of columns) add(row, column, answers);
    }
  }
}

/** What passes between segments; what is outside of all workloads is the last row and column. */
export function computeMatrix(
  segments: readonly Segment[],
  outside: TestEnd['outside'],
  service: Service,
  identify: Identify,
): SegmentMatrix {
  const ends = uniteSegments(segments, outside);
  const size = segments.length + 1;
  const cells = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  for (const pairs of buildPairs(ends, ends, service, identify)) addFamily(cells, pairs, segments);
  return cells;
}
