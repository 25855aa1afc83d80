import { addBit, type Bits, eachBit, emptyBits, equalBits, hasBit, hashBit } from './bits';
import { larger, type Span, smaller, valueAfter, valueBefore } from './spans';

/**
 * The values of one dimension in classes: values of a class are in the same of the sets that were given. Neither the number of
 * sets nor that of their spans matters afterwards, only the number of classes.
 */
export type Partition<T extends number | bigint> = {
  /** Stretches of values in order; each is of one class. */
  readonly firsts: readonly T[];
  readonly lasts: readonly T[];
  readonly classes: Int32Array;
  readonly count: number;
  /** Of each set: its classes. */
  readonly members: readonly Bits[];
};

function cutPoints<T extends number | bigint>(sets: readonly (readonly Span<T>[])[], first: T, last: T): T[] {
  const points = new Set<T>([first]);
  for (const set of sets) {
    for (const span of set) {
      points.add(span.first);
      if (span.last < last) points.add(valueAfter(span.last));
    }
  }
  // Numbers are sorted several times as fast without a comparison function.
  if (typeof first === 'number') return [...Float64Array.from(points as Set<number>).sort()] as T[];
  return [...points].sort((a, b) => (a < b ? -1 : 1));
}

/** Finds equal sets of numbers by a hash, and compares them, because two sets may have the same hash. */
function classFinder(size: number) {
  const current = emptyBits(size);
  const found = new Map<number, number[]>();
  const all: Bits[] = [];
  let [low, high] = [0, 0];
  return {
    all,
    flip(set: number): void {
      current[set >>> 5] = (current[set >>> 5] as number) ^ (1 << (set & 31));
      low ^= hashBit(set);
      high ^= Math.imul(Math.imul(set + 3, 0xc2b2ae3d) ^ (set << 9), 0x27d4eb2f);
    },
    id(): number {
      const hash = (low >>> 0) * 0x100000 + (high >>> 12);
      const alike = found.get(hash) ?? [];
      for (const id of alike) if (equalBits(all[id] as Bits, current)) return id;
      if (alike.length === 0) found.set(hash, alike);
      alike.push(all.length);
      return all.push(current.slice()) - 1;
    },
  };
}

/** @param sets the spans of each are sorted and apart from each other. `first` to `last` are all values. */
export function buildPartition<T extends number | bigint>(
  sets: readonly (readonly Span<T>[])[],
  first: T,
  last: T,
): Partition<T> {
  const firsts = cutPoints(sets, first, last);
  const places = new Map(firsts.map((value, at) => [value, at]));
  // Of each cut point a list of the sets that begin or end there, as chains within two arrays: one list each costs far more.
  const latest = new Int32Array(firsts.length).fill(-1);
  const chained: number[] = [];
  const earlier: number[] = [];
  const flipAt = (value: T, set: number) => {
    const at = places.get(value);
    if (at === undefined) return;
    earlier.push(latest[at] as number);
    latest[at] = chained.push(set) - 1;
  };
  for (const [set, spans] of sets.entries()) {
    for (const span of spans) {
      flipAt(span.first, set);
      flipAt(valueAfter(span.last), set);
    }
  }
  const finder = classFinder(sets.length);
  const classes = new Int32Array(firsts.length);
  for (let at = 0; at < firsts.length; at++) {
    for (let entry = latest[at] as number; entry >= 0; entry = earlier[entry] as number)
      finder.flip(chained[entry] as number);
    classes[at] = finder.id();
  }
  const count = finder.all.length;
  const members = sets.map(() => emptyBits(count));
  for (const [id, bits] of finder.all.entries()) {
    eachBit(bits, (set) => addBit(members[set] as Bits, id));
  }
  const lasts = firsts.map((_, at) => (at + 1 < firsts.length ? valueBefore(firsts[at + 1] as T) : last));
  return { firsts, lasts, classes, count, members };
}

/** The part of a partition that some values are in. */
export type Restricted<T extends number | bigint> = {
  /** Classes with a value. */
  readonly present: Bits;
  /** Visits the stretches of values in order, each of one class. */
  readonly visit: (visitor: (first: T, last: T, id: number) => void) => void;
  /** The values of some classes, neighbors joined. */
  readonly spansOf: (bits: Bits) => readonly Span<T>[];
};

/** The stretch that holds the value. */
function stretchAt<T extends number | bigint>(firsts: readonly T[], value: T): number {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((firsts[middle] as T) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The class of a value. */
export const classOf = <T extends number | bigint>({ firsts, classes }: Partition<T>, value: T): number =>
  classes[stretchAt(firsts, value)] as number;

/** Stretches are visited where they are, not copied: most questions are about many filters, and few parts of each. */
export function restrictPartition<T extends number | bigint>(
  { firsts, lasts, classes, count }: Partition<T>,
  values: readonly Span<T>[],
): Restricted<T> {
  const present = emptyBits(count);
  const starts = values.map(({ first }) => stretchAt(firsts, first));
  for (const [which, { last }] of values.entries()) {
    for (let at = starts[which] as number; at < firsts.length && (firsts[at] as T) <= last; at++)
      addBit(present, classes[at] as number);
  }
  const visit: Restricted<T>['visit'] = (visitor) => {
    for (const [which, { first, last }] of values.entries()) {
      for (let at = starts[which] as number; at < firsts.length && (firsts[at] as T) <= last; at++)
        visitor(larger(firsts[at] as T, first), smaller(lasts[at] as T, last), classes[at] as number);
    }
  };
  return { present, visit, spansOf: (bits) => (bits === present ? values : joinStretches(visit, bits)) };
}

function joinStretches<T extends number | bigint>(visit: Restricted<T>['visit'], bits: Bits): Span<T>[] {
  const joined: { first: T; last: T }[] = [];
  let previous: { first: T; last: T } | undefined;
  visit((first, last, id) => {
    if (!hasBit(bits, id)) return;
    if (previous && valueAfter(previous.last) === first) previous.last = last;
    else {
      previous = { first, last };
      joined.push(previous);
    }
  });
  return joined;
}
