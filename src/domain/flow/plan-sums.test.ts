import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketStarts, HOURLY_HOURS, minuteCutoff } from './plan-range';
import { planSums, type SumPart } from './plan-sums';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const now = Date.parse('2026-03-10T14:07:30Z');
const ago = (minutes: number) => now - minutes * MINUTE;
const at = (time: string) => Date.parse(`2026-03-10T${time}:00Z`);

describe('planSums', () => {
  it('takes whole hours as such and the rest in five minutes', () => {
    const plan = planSums({ since: ago(6 * 60), until: now }, now);
    expect(plan.parts).toEqual([
      { bucket_seconds: 300, since: at('08:05'), until: at('09:00') },
      { bucket_seconds: 3600, since: at('09:00'), until: at('14:00') },
      { bucket_seconds: 300, since: at('14:00'), until: at('14:10') },
    ]);
    expect(plan).toMatchObject({ source: 'minutes', since: at('08:05'), until: at('14:10') });
    expect(plan.series).toEqual({
      bucket_seconds: 300,
      parts: [{ bucket_seconds: 300, since: at('08:05'), until: at('14:10') }],
    });
  });

  it('shows a day by the hour', () => {
    const { source, parts, series } = planSums({ since: ago(24 * 60), until: now }, now);
    expect([source, series.bucket_seconds]).toEqual(['minutes', 3600]);
    expect(series.parts).toEqual(parts);
  });

  it('knows only hours before the last day, for 400 days', () => {
    const week = planSums({ since: ago(7 * 24 * 60), until: ago(60) }, now);
    expect(week.parts).toEqual([{ bucket_seconds: 3600, since: at('14:00') - 7 * 24 * HOUR, until: at('14:00') }]);
    expect(week.source).toBe('hours');
    expect(planSums({ since: 0, until: now }, now).since).toBe(at('14:00') - HOURLY_HOURS * HOUR);
  });

  it('has nothing to read where nothing can be', () => {
    expect(planSums({ since: now + HOUR, until: now + 2 * HOUR }, now).parts).toEqual([]);
    expect(planSums({ since: 0, until: HOUR }, now).parts).toEqual([]);
  });

  it('covers each moment of the range once, with aggregates that are kept', () => {
    const covers = (parts: SumPart[], time: number) =>
      parts.filter((one) => one.since <= time && time < one.until).length;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 500 * 24 * 60 }),
        fc.integer({ min: 1, max: 500 * 24 * 60 }),
        fc.integer({ min: 0, max: 24 * 60 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (back, span, shift, share) => {
          const today = now + shift * MINUTE;
          const since = today - back * MINUTE;
          const plan = planSums({ since, until: since + span * MINUTE }, today);
          const moment = plan.since + Math.floor(share * (plan.until - plan.since));
          const expected = plan.since < plan.until ? 1 : 0;
          expect(covers(plan.parts, moment)).toBe(expected);
          expect(covers(plan.series.parts, moment)).toBe(expected);
          for (const one of [...plan.parts, ...plan.series.parts]) {
            expect([one.since % (one.bucket_seconds * 1000), one.until % (one.bucket_seconds * 1000)]).toEqual([0, 0]);
            if (one.bucket_seconds === 300) expect(one.since).toBeGreaterThanOrEqual(minuteCutoff(today));
          }
          const starts = bucketStarts({ ...plan, bucket_seconds: plan.series.bucket_seconds });
          expect(starts.length).toBeLessThanOrEqual(122);
          expect(plan.series.bucket_seconds % (plan.series.parts[0]?.bucket_seconds ?? 300)).toBe(0);
        },
      ),
    );
  });
});
