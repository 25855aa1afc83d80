/** Bits of rules, 32 to a word. */
export type RuleBits = Uint32Array;

/**
 * For a value, the rules whose condition on one field can hold, found by one binary search: the values are cut where
 * any condition begins or ends, and cuts with the same rules share their bits.
 */
export type IntervalIndex<T extends number | bigint> = {
  /** First value of each cut but the first, ascending. */
  readonly starts: readonly T[];
  /** Bits of each cut; one more than `starts`. */
  readonly bits: readonly RuleBits[];
  /** Bits of a value that is not known: every rule. */
  readonly any: RuleBits;
};

type Span<T> = { readonly first: T; readonly last: T };

/**
 * @param conditions of each rule its spans (apart from each other), or null when every value can hold
 * @param next the value after
 */
export function buildIntervalIndex<T extends number | bigint>(
  conditions: readonly (readonly Span<T>[] | null)[],
  next: (value: T) => T,
): IntervalIndex<T> {
  const words = Math.ceil(conditions.length / 32);
  const current = new Uint32Array(words);
  const any = new Uint32Array(words);
  const flips = new Map<T, number[]>();
  const flip = (bits: RuleBits, rule: number) => {
    bits[rule >>> 5] = (bits[rule >>> 5] ?? 0) ^ (1 << (rule & 31));
  };
  const cut = (at: T, rule: number) => {
    const rules = flips.get(at);
    if (rules) rules.push(rule);
    else flips.set(at, [rule]);
  };
  for (const [rule, spans] of conditions.entries()) {
    flip(any, rule);
    if (!spans) flip(current, rule);
    for (const { first, last } of spans ?? []) {
      cut(first, rule);
      cut(next(last), rule);
    }
  }
  const shared = new Map<string, RuleBits>();
  const share = () => {
    const key = current.join();
    const known = shared.get(key) ?? current.slice();
    shared.set(key, known);
    return known;
  };
  const bits = [share()];
  const starts = [...flips.keys()].sort((a, b) => (a < b ? -1 : 1));
  for (const start of starts) {
    for (const rule of flips.get(start) ?? []) flip(current, rule);
    bits.push(share());
  }
  return { starts, bits, any };
}

/** Bits of the rules that a value can match. */
export function lookUpInterval<T extends number | bigint>(index: IntervalIndex<T>, value: T): RuleBits {
  const { starts } = index;
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value < (starts[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return index.bits[low] as RuleBits;
}
