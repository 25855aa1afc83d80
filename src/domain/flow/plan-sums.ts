import { bucketWidth, ceilTo, floorTo, HOURLY_HOURS, minuteCutoff, WINDOW_SECONDS } from './plan-range';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Widths in seconds in which traffic is summed up: five minutes for the last day, hours for 400 days. */
export const SUM_SECONDS = { fine: WINDOW_SECONDS, hour: 3600 } as const;
export type SumSeconds = (typeof SUM_SECONDS)[keyof typeof SUM_SECONDS];

/** Aggregates of one width whose buckets begin from `since` up to but not including `until`. */
export type SumPart = { bucket_seconds: SumSeconds; since: number; until: number };

/** Which aggregates answer for a range; times in milliseconds, `until` is not part of it. */
export type SumPlan = {
  since: number;
  until: number;
  /** What the aggregates were made from: `minutes` is exact to five minutes. */
  source: 'minutes' | 'hours';
  /** Parts that cover the range once, with as few rows as possible. */
  parts: SumPart[];
  /** The same for totals over time, in buckets of `bucket_seconds`. */
  series: { bucket_seconds: number; parts: SumPart[] };
};

const part = (bucket_seconds: SumSeconds, since: number, until: number): SumPart[] =>
  since < until ? [{ bucket_seconds, since, until }] : [];

/** Whole hours as such, and what the range has before and after them in five minutes. */
function splitAtHours(since: number, until: number): SumPart[] {
  const from = ceilTo(since, HOUR);
  const to = floorTo(until, HOUR);
  if (from >= to) return part(SUM_SECONDS.fine, since, until);
  return [
    ...part(SUM_SECONDS.fine, since, from),
    ...part(SUM_SECONDS.hour, from, to),
    ...part(SUM_SECONDS.fine, to, until),
  ];
}

/**
 * From which aggregates a range is answered. It is widened to five minutes, or to whole hours when it begins before
 * the last day. Series have at most 121 buckets: of five minutes up to ten hours, else of hours or more.
 */
export function planSums(range: { since: number; until: number }, now: number): SumPlan {
  const isFine = range.since >= minuteCutoff(now);
  const step = (isFine ? SUM_SECONDS.fine : SUM_SECONDS.hour) * SECOND;
  const since = floorTo(Math.max(range.since, now - HOURLY_HOURS * HOUR), step);
  const until = Math.max(ceilTo(Math.min(range.until, now), step), since);
  const parts = isFine ? splitAtHours(since, until) : part(SUM_SECONDS.hour, since, until);
  const span = (until - since) / SECOND;
  const isShort = isFine && bucketWidth(span, SUM_SECONDS.fine) === SUM_SECONDS.fine;
  const series = isShort
    ? { bucket_seconds: SUM_SECONDS.fine, parts: part(SUM_SECONDS.fine, since, until) }
    : { bucket_seconds: bucketWidth(span, SUM_SECONDS.hour), parts };
  return { since, until, source: isFine ? 'minutes' : 'hours', parts, series };
}
