import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketStarts, MINUTE_HOURS, minuteCutoff, planRange, type Span, splitByDays } from './plan-range';
import { planSums } from './plan-sums';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const now = Date.parse('2026-06-01T12:34:56.789Z');
const plan = (since: number, until = 0, summed = true, retentionHours = 24) =>
  planRange({ since: now - since * HOUR, until: now - until * HOUR }, { now, retentionHours, summed });

describe('planRange', () => {
  it.each([
    [1, 'minutes', 60],
    [3, 'minutes', 300],
    [6, 'minutes', 300],
    [24, 'minutes', 900],
    [25, 'hours', 3600],
    [24 * 7, 'hours', 3 * 3600],
    [24 * 30, 'hours', 6 * 3600],
    [24 * 365, 'hours', 7 * 24 * 3600],
  ])('counts the last %i hours by %s in buckets of %i seconds', (hours, source, width) => {
    expect(plan(hours)).toMatchObject({ source, bucket_seconds: width });
  });

  it('takes hours for a short range of long ago, and minutes up to their border', () => {
    expect(plan(72, 71)).toMatchObject({ source: 'hours', bucket_seconds: 3600 });
    const border = minuteCutoff(now);
    expect(now - border).toBeGreaterThanOrEqual(MINUTE_HOURS * HOUR);
    const at = (since: number) => planRange({ since, until: now }, { now, retentionHours: 24, summed: true }).source;
    expect([at(border), at(border - 1)]).toEqual(['minutes', 'hours']);
  });

  it('knows flows back to the retention only', () => {
    expect(plan(72, 0, false)).toMatchObject({ source: 'flows', since: now - 24 * HOUR, until: now });
    const gone = plan(72, 48, false);
    expect(bucketStarts(gone)).toEqual([]);
  });

  it('never ends in the future, covers the range in whole buckets, and not in too many', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 10_000, noNaN: true }),
        fc.double({ min: -10, max: 10_000, noNaN: true }),
        fc.boolean(),
        (length, end, summed) => {
          const range = { since: now - (end + length) * HOUR, until: now - end * HOUR };
          fc.pre(range.since < now);
          const made = planRange(range, { now, retentionHours: 24, summed });
          const starts = bucketStarts(made);
          expect(starts.length).toBeLessThanOrEqual(122);
          expect(made.until).toBeLessThan(now + HOUR);
          expect(made.since).toBeLessThanOrEqual(made.until);
          if (made.since === made.until) return;
          const width = made.bucket_seconds * 1000;
          expect(starts[0]).toBeLessThanOrEqual(made.since);
          expect((starts[0] ?? 0) + width).toBeGreaterThan(made.since);
          expect((starts.at(-1) ?? 0) + width).toBeGreaterThanOrEqual(made.until);
          expect(starts.at(-1)).toBeLessThan(made.until);
          if (summed && range.since > now - 9_000 * HOUR) expect(made.since).toBeLessThanOrEqual(range.since);
        },
      ),
    );
  });
});

it('widens totals to the windows of the dashboard, so that every page has the same total for a range', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.001, max: 60, noNaN: true }),
      fc.double({ min: 0, max: 60, noNaN: true }),
      (length, end) => {
        const range = { since: now - (end + length) * HOUR, until: now - end * HOUR };
        const sums = planSums(range, now);
        const made = planRange(range, { now, retentionHours: 24, summed: true });
        expect([made.since, made.source]).toEqual([sums.since, sums.source]);
        // Only the minutes that have not begun differ.
        if (sums.until <= now) expect(made.until).toBe(sums.until);
        else expect(made.until).toBeGreaterThanOrEqual(now);
      },
    ),
  );
});

describe('splitByDays', () => {
  const DAY = 24 * HOUR;
  it('has each hour of the range once, in a day that was counted or in the rest, in as few spans as possible', () => {
    const hours = (spans: readonly Span[]) =>
      spans.flatMap(({ since, until }) => Array.from({ length: (until - since) / HOUR }, (_, i) => since + i * HOUR));
    const ranges = fc.record({
      before: fc.nat(30),
      after: fc.nat(30),
      are: fc.array(fc.boolean(), { maxLength: 12 }),
    });
    fc.assert(
      fc.property(ranges, ({ before, after, are }) => {
        const days = are.flatMap((isCounted, i) => (isCounted ? [i * DAY] : []));
        const range = { since: -before * HOUR, until: are.length * DAY + after * HOUR };
        const { days: counted, rest } = splitByDays(range, days);
        expect(hours(counted)).toEqual(hours(days.map((since) => ({ since, until: since + DAY }))));
        expect([...hours(counted), ...hours(rest)].sort((a, b) => a - b)).toEqual(hours([range]));
        for (const spans of [counted, rest]) {
          expect(spans.every(({ since, until }, i) => since < until && spans[i - 1]?.until !== since)).toBe(true);
        }
      }),
    );
  });
});
