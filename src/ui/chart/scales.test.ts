import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { niceScale, timeTicks } from './chart-data';

describe('niceScale', () => {
  it('marks round figures', () => {
    expect(niceScale(0)).toEqual({ end: 1, ticks: [0, 1] });
    expect(niceScale(7).ticks).toEqual([0, 5, 10]);
    expect(niceScale(2_400_000).ticks).toEqual([0, 1_000_000, 2_000_000, 3_000_000]);
    expect(niceScale(300 * 1024, 1024).ticks).toEqual([0, 100 * 1024, 200 * 1024, 300 * 1024]);
  });

  it('holds every value, in few steps', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e15, noNaN: true }),
        fc.constantFrom(1000 as const, 1024 as const),
        (v, base) => {
          const { end, ticks } = niceScale(v, base);
          expect(end).toBeGreaterThanOrEqual(v);
          expect(end).toBeLessThanOrEqual(v * 4);
          expect(ticks.length).toBeLessThanOrEqual(4);
          expect(ticks.at(-1)).toBe(end);
        },
      ),
    );
  });
});

describe('timeTicks', () => {
  it('stays inside and below the number asked for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1e12, max: 2e12 }),
        fc.integer({ min: 1000, max: 4e10 }),
        fc.integer({ min: 1, max: 12 }),
        (since, span, most) => {
          const ticks = timeTicks(since, since + span, most);
          expect(ticks.length).toBeLessThanOrEqual(most + 1);
          for (const { at } of ticks) {
            expect(at).toBeGreaterThanOrEqual(since);
            expect(at).toBeLessThanOrEqual(since + span);
          }
        },
      ),
    );
  });

  it('says times within a day and dates where one begins', () => {
    const noon = new Date(2026, 5, 1, 22, 0).getTime();
    expect(timeTicks(noon, noon + 4 * 3_600_000, 4).map(({ text }) => text)).toEqual([
      '22:00',
      '23:00',
      '06-02',
      '01:00',
      '02:00',
    ]);
    expect(timeTicks(5, 5, 4)).toEqual([]);
  });
});
