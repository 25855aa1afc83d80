/** Inclusive range of addresses, ports, protocols, or ICMP types with their codes. */
export type Span<T extends number | bigint> = { readonly first: T; readonly last: T };

export const valueAfter = <T extends number | bigint>(value: T): T =>
  (typeof value === 'bigint' ? value + 1n : (value as number) + 1) as T;
export const valueBefore = <T extends number | bigint>(value: T): T =>
  (typeof value === 'bigint' ? value - 1n : (value as number) - 1) as T;

export function smaller<T extends number | bigint>(a: T, b: T): T {
  if (a < b) return a;
  return b;
}

export function larger<T extends number | bigint>(a: T, b: T): T {
  if (a > b) return a;
  return b;
}

/** Sorted, each value in at most one span, neighbors joined: equal sets give equal lists. */
export function joinSpans<T extends number | bigint>(spans: readonly Span<T>[]): Span<T>[] {
  const joined: Span<T>[] = [];
  for (const span of [...spans].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const previous = joined.at(-1);
    if (previous && span.first <= valueAfter(previous.last)) {
      if (span.last > previous.last) joined[joined.length - 1] = { first: previous.first, last: span.last };
    } else joined.push(span);
  }
  return joined;
}

/** What is in both. The spans of each are sorted and apart from each other, here and below. */
export function intersectSpans<T extends number | bigint>(a: readonly Span<T>[], b: readonly Span<T>[]): Span<T>[] {
  const found: Span<T>[] = [];
  for (let i = 0, j = 0; ; ) {
    const [one, other] = [a[i], b[j]];
    if (!one || !other) return found;
    const first = larger(one.first, other.first);
    const last = smaller(one.last, other.last);
    if (first <= last) found.push({ first, last });
    if (one.last < other.last) i++;
    else j++;
  }
}

/** Whether some value is in both. */
export function overlap<T extends number | bigint>(a: readonly Span<T>[], b: readonly Span<T>[]): boolean {
  for (let i = 0, j = 0; ; ) {
    const [one, other] = [a[i], b[j]];
    if (!one || !other) return false;
    if (one.last < other.first) i++;
    else if (other.last < one.first) j++;
    else return true;
  }
}

/** What is in `a` and not in `b`. */
export function subtractSpans<T extends number | bigint>(a: readonly Span<T>[], b: readonly Span<T>[]): Span<T>[] {
  const found: Span<T>[] = [];
  let j = 0;
  for (const span of a) {
    const { first, last } = span;
    let from = first;
    while (j < b.length && (b[j] as Span<T>).last < from) j++;
    for (let k = j; from <= last; k++) {
      const hole = b[k];
      if (!hole || hole.first > last) {
        found.push(from === first ? span : { first: from, last });
        break;
      }
      if (hole.first > from) found.push({ first: from, last: valueBefore(hole.first) });
      from = valueAfter(hole.last);
    }
  }
  return found;
}

export const spansHave = <T extends number | bigint>(spans: readonly Span<T>[], value: T): boolean =>
  spans.some(({ first, last }) => first <= value && value <= last);

/** Whether two lists are the same; of joined spans these are equal sets. */
export const equalSpans = <T extends number | bigint>(a: readonly Span<T>[], b: readonly Span<T>[]): boolean =>
  a.length === b.length && a.every(({ first, last }, at) => first === b[at]?.first && last === b[at]?.last);
