import type { CountedSource } from './flow-sums';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** Totals per minute are kept at least this long, then per hour for `HOURLY_HOURS`. */
export const MINUTE_HOURS = 24;
export const HOURLY_HOURS = 400 * 24;

/** Traffic is totalled over whole windows of five minutes, or hours, so that every page has the same total of one range. */
export const WINDOW_SECONDS = 300;

/** Widths of buckets in seconds that people read easily. */
const WIDTHS = [60, 300, 600, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 7 * 24 * 3600];
/** Two hours by minutes, and the minute that has just begun. */
const MAX_BUCKETS = 121;

/** A time range and what can be counted in it; times in milliseconds, `until` is not part of it. */
export type RangePlan = { source: CountedSource; since: number; until: number; bucket_seconds: number };

export const floorTo = (time: number, step: number): number => Math.floor(time / step) * step;
export const ceilTo = (time: number, step: number): number => Math.ceil(time / step) * step;

/** The narrowest readable width, in seconds and not below `step`, in which a span is at most 121 buckets. */
export function bucketWidth(span: number, step: number): number {
  const requested = WIDTHS.find((width) => width >= step && width * MAX_BUCKETS >= span);
  return requested ?? WIDTHS.at(-1) ?? step;
}

/** The moment before which minutes may have been summed up to hours. */
export const minuteCutoff = (now: number): number => floorTo(now - MINUTE_HOURS * HOUR, HOUR);

/**
 * From what a range is counted, and in buckets of which width: at most 121 of them, none narrower than what is
 * counted. Totals (`summed`) widen the range to whole five minutes or hours, as on every page; flows are known back
 * to the retention only.
 */
export function planRange(
  range: { since: number; until: number },
  options: { now: number; retentionHours: number; summed: boolean },
): RangePlan {
  const { now, retentionHours, summed } = options;
  const until = Math.min(range.until, now);
  let plan: Omit<RangePlan, 'bucket_seconds'>;
  let step = WIDTHS[0] ?? 60;
  if (!summed) {
    plan = { source: 'flows', since: Math.max(range.since, now - retentionHours * HOUR), until };
  } else {
    const byMinute = range.since >= minuteCutoff(now);
    step = byMinute ? 60 : 3600;
    const window = (byMinute ? WINDOW_SECONDS : 3600) * SECOND;
    plan = {
      source: byMinute ? 'minutes' : 'hours',
      since: floorTo(Math.max(range.since, now - HOURLY_HOURS * HOUR), window),
      // A chart ends with the minute that has begun.
      until: Math.min(ceilTo(until, window), ceilTo(now, step * SECOND)),
    };
  }
  const bucket_seconds = bucketWidth((plan.until - plan.since) / SECOND, step);
  return { ...plan, until: Math.max(plan.until, plan.since), bucket_seconds };
}

/** Where the buckets of a plan begin, in milliseconds; the first may begin before the range does. */
export function bucketStarts({ since, until, bucket_seconds }: Omit<RangePlan, 'source'>): number[] {
  const width = bucket_seconds * SECOND;
  const first = floorTo(since, width);
  const count = until > since ? Math.ceil((until - first) / width) : 0;
  return Array.from({ length: count }, (_, i) => first + i * width);
}

/** A part of a range, in milliseconds; `until` is not part of it. */
export type Span = { since: number; until: number };

/**
 * The days of a range that were counted in advance, and what is left of it, each in as few spans as possible.
 * @param days where they begin, in order; all of them are inside the range
 */
export function splitByDays({ since, until }: Span, days: readonly number[]): { days: Span[]; rest: Span[] } {
  const found: Span[] = [];
  const rest: Span[] = [];
  let at = since;
  for (const day of days) {
    const last = found.at(-1);
    if (last?.until === day) last.until = day + DAY;
    else found.push({ since: day, until: day + DAY });
    if (at < day) rest.push({ since: at, until: day });
    at = day + DAY;
  }
  if (at < until) rest.push({ since: at, until });
  return { days: found, rest };
}
