/** A half-open stretch of time in milliseconds since 1970. */
export type Span = { readonly since: number; readonly until: number };

/**
 * The same time as disjoint spans, earliest first.
 * @param bridge the longest hole that is closed
 */
export function normalize(spans: readonly Span[], bridge = 0): Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.since - b.since)) {
    if (span.until <= span.since) continue;
    const last = result.at(-1);
    if (last && span.since <= last.until + bridge) {
      result[result.length - 1] = { since: last.since, until: Math.max(last.until, span.until) };
    } else result.push(span);
  }
  return result;
}

/** The time in both of two lists of disjoint spans in order. */
export function intersect(a: readonly Span[], b: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (let i = 0, j = 0; ; ) {
    const [left, right] = [a[i], b[j]];
    if (!left || !right) return result;
    const since = Math.max(left.since, right.since);
    const until = Math.min(left.until, right.until);
    if (since < until) result.push({ since, until });
    if (left.until < right.until) i += 1;
    else j += 1;
  }
}

/** The time in `from` that is not in `without`; both are disjoint and in order. */
export function subtract(from: readonly Span[], without: readonly Span[]): Span[] {
  const result: Span[] = [];
  let first = 0;
  for (const span of from) {
    let { since } = span;
    while ((without[first]?.until ?? Number.POSITIVE_INFINITY) <= span.since) first += 1;
    for (let i = first; ; i += 1) {
      const hole = without[i];
      if (!hole || hole.since >= span.until) break;
      if (hole.since > since) result.push({ since, until: hole.since });
      since = Math.max(since, hole.until);
    }
    if (since < span.until) result.push({ since, until: span.until });
  }
  return result;
}

export const union = (...lists: readonly (readonly Span[])[]): Span[] => normalize(lists.flat());

export const sumDurations = (spans: readonly Span[]): number =>
  spans.reduce((sum, { since, until }) => sum + until - since, 0);
