import { hashBit } from './space/bits';

/** Bits of rules, 32 to a word. */
export type RuleBits = Uint32Array;

/**
 * For a value, the rules whose condition on one field can hold, found by one binary search: the values are cut where
 * any condition begins or ends, and cuts with the same rules share their bits.
 */
export type IntervalIndex<T extends number | bigint> = {
  /** First value of each cut but the first, ascending. */
  readonly starts: readonly T[];
  /** Where the bits of each cut begin in `rows`; one more than `starts`. */
  readonly places: Uint32Array;
  /** Bits of all cuts, one after the other: an array each would take several times as much memory. */
  readonly rows: RuleBits;
  /** Where those of a value that is not known begin: every rule. */
  readonly any: number;
};

type Span<T> = { readonly first: T; readonly last: T };

/** Keeps each distinct set of bits once. Two sets may have the same hash, so they are compared. */
function rowKeeper(words: number) {
  const current = new Uint32Array(words);
  const known = new Map<number, number[]>();
  let rows = new Uint32Array(words * 4);
  let used = 0;
  let hash = 0;
  const isAt = (place: number) => {
    for (let word = 0; word < words; word++) if (rows[place + word] !== current[word]) return false;
    return true;
  };
  return {
    flip(rule: number): void {
      current[rule >>> 5] = (current[rule >>> 5] as number) ^ (1 << (rule & 31));
      hash ^= hashBit(rule);
    },
    /** Where the current bits are kept. */
    keep(): number {
      const candidates = known.get(hash) ?? [];
      for (const place of candidates) if (isAt(place)) return place;
      if (candidates.length === 0) known.set(hash, candidates);
      if (used + words > rows.length) {
        const larger = new Uint32Array(rows.length * 2);
        larger.set(rows);
        rows = larger;
      }
      rows.set(current, used);
      candidates.push(used);
      used += words;
      return used - words;
    },
    rows: (): RuleBits => rows.slice(0, used),
  };
}

/**
 * @param conditions of each rule its spans (apart from each other), or null when every value can hold
 * @param next the value after
 */
export function buildIntervalIndex<T extends number | bigint>(
  conditions: readonly (readonly Span<T>[] | null)[],
  next: (value: T) => T,
): IntervalIndex<T> {
  const keeper = rowKeeper(Math.ceil(conditions.length / 32));
  for (const rule of conditions.keys()) keeper.flip(rule);
  const any = keeper.keep();
  const flips = new Map<T, number[]>();
  const cut = (at: T, rule: number) => {
    const rules = flips.get(at);
    if (rules) rules.push(rule);
    else flips.set(at, [rule]);
  };
  for (const [rule, spans] of conditions.entries()) {
    if (spans) keeper.flip(rule);
    for (const { first, last } of spans ?? []) {
      cut(first, rule);
      cut(next(last), rule);
    }
  }
  const starts = [...flips.keys()].sort((a, b) => (a < b ? -1 : 1));
  const places = new Uint32Array(starts.length + 1);
  places[0] = keeper.keep();
  for (const [at, start] of starts.entries()) {
    for (const rule of flips.get(start) ?? []) keeper.flip(rule);
    places[at + 1] = keeper.keep();
  }
  return { starts, places, rows: keeper.rows(), any };
}

/** Where in `rows` the bits of the rules begin that a value can match. */
export function lookUpInterval<T extends number | bigint>({ starts, places }: IntervalIndex<T>, value: T): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value < (starts[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return places[low] as number;
}
