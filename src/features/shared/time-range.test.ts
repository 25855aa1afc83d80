import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { english } from '@/lib/i18n/translator';
import {
  expiredRange,
  hasLater,
  hasTotals,
  isBeforeRetention,
  resolveRange,
  SPANS,
  shiftRange,
  spanMs,
  spanText,
  timesText,
  zoomOut,
} from './time-range';

const NOW = Date.parse('2026-06-01T12:00:00Z');

describe('resolveRange', () => {
  it('counts spans back from the moment of the last refresh', () => {
    expect(resolveRange({ range: null, since: null, until: null }, NOW)).toEqual({
      since: '2026-06-01T11:00:00.000Z',
      until: '2026-06-01T12:00:00.000Z',
    });
    expect(resolveRange({ range: '15m', since: null, until: null }, NOW).since).toBe('2026-06-01T11:45:00.000Z');
    expect(resolveRange({ range: '45m', since: null, until: null }, NOW).since).toBe('2026-06-01T11:15:00.000Z');
  });

  it('lets given times win', () => {
    const since = '2026-01-01T00:00:00.000Z';
    const until = '2026-01-02T00:00:00.000Z';
    expect(resolveRange({ range: '7d', since, until }, NOW)).toEqual({ since, until });
    expect(resolveRange({ range: '7d', since, until: null }, NOW)).toEqual({ since });
    expect(resolveRange({ range: '24h', since: null, until }, NOW)).toEqual({
      since: '2026-01-01T00:00:00.000Z',
      until,
    });
  });
});

describe('spans', () => {
  it('have a length and a name', () => {
    for (const { value, label } of SPANS) {
      expect(spanMs(value)).toBeGreaterThan(0);
      expect(spanText(english, value)).toBe(label);
    }
    expect(spanText(english, '45m')).toBe('Last 45 min');
    for (const none of [null, '', '0h', '1w', '1000d', '6', 'h', '-1h']) expect(spanMs(none)).toBeNull();
  });
});

const times = fc
  .tuple(fc.integer({ min: 60_000, max: 1e10 }), fc.integer({ min: 0, max: 1e11 }))
  .map(([length, ago]) => [NOW - ago - length, NOW - ago] as const);
const asked = ([since, until]: readonly [number, number]) => ({
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
});
const ends = ({ since, until }: { since: string | null; until: string | null }) =>
  [Date.parse(since ?? ''), Date.parse(until ?? '')] as const;

describe('shiftRange', () => {
  it('keeps the length, never reaches beyond now, and leads back', () => {
    fc.assert(
      fc.property(times, (range) => {
        const [since, until] = range;
        const earlier = ends(shiftRange(asked(range), -1, NOW));
        expect(earlier).toEqual([since - (until - since), since]);
        const later = ends(shiftRange(asked(range), 1, NOW));
        expect(later[1] - later[0]).toBe(until - since);
        expect(later[1]).toBeLessThanOrEqual(NOW);
        expect(hasLater(asked(range), NOW)).toBe(later[1] > until);
        expect(ends(shiftRange(asked(earlier), 1, NOW))).toEqual([since, until]);
      }),
    );
  });
});

describe('zoomOut', () => {
  it('doubles the length around the range, and never reaches beyond now', () => {
    fc.assert(
      fc.property(times, (range) => {
        const [since, until] = range;
        const wide = ends(zoomOut(asked(range), NOW));
        expect(Math.abs(wide[1] - wide[0] - 2 * (until - since))).toBeLessThanOrEqual(1);
        expect(wide[0]).toBeLessThanOrEqual(since);
        expect(wide[1]).toBeGreaterThanOrEqual(until);
        expect(wide[1]).toBeLessThanOrEqual(NOW);
      }),
    );
  });
});

describe('timesText', () => {
  it('names both offsets where the clock was changed between two times', () => {
    const changed = Date.parse('2026-10-25T01:00:00Z');
    const offset = vi.spyOn(Date.prototype, 'getTimezoneOffset').mockImplementation(function (this: Date) {
      return this.getTime() < changed ? -120 : -60;
    });
    const [before, after] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'];
    expect(timesText(english, before, after)).toMatch(/ UTC\+2–.* UTC\+1$/);
    expect(timesText(english, before, '2026-10-25T00:45:00Z')).not.toContain('UTC');
    offset.mockRestore();
  });

  it('names the day once when both times are of one day', () => {
    const at = (hours: number) => new Date(2026, 10, 23, hours).toISOString();
    expect(timesText(english, at(18), at(22))).toBe('2026-11-23 18:00–22:00');
    expect(timesText(english, at(18), at(30))).toBe('2026-11-23 18:00 to 2026-11-24 06:00');
    expect(timesText(english, at(18), null)).toBe('since 2026-11-23 18:00');
    expect(timesText(english, null, null)).toBe('');
  });
});

describe('expiredRange', () => {
  it('tells a range that has expired from one of which something may be kept', () => {
    const kept = '2026-03-10T12:00:00.000Z';
    expect(expiredRange('2026-03-10T12:00:00Z', kept)).toBe(kept);
    expect(expiredRange('2026-03-10T11:00:00Z', kept)).toBe(kept);
    expect(expiredRange('2026-03-10T12:00:00.001Z', kept)).toBeNull();
    // A range without an end reaches up to now, and while it loads nothing is known.
    expect(expiredRange(undefined, kept)).toBeNull();
    expect(expiredRange('2026-03-10T11:00:00Z', null)).toBeNull();
  });
});

describe('isBeforeRetention', () => {
  it('returns true for ranges that start before the retention, and false for one that spans it', () => {
    const kept = '2026-11-24T00:00:00.000Z';
    expect(isBeforeRetention('2026-11-23T00:00:00.000Z', kept)).toBe(true);
    expect(isBeforeRetention('2026-11-23T23:59:58.000Z', kept)).toBe(false);
    expect(isBeforeRetention('2026-11-24T10:00:00.000Z', kept)).toBe(false);
  });
});

describe('hasTotals', () => {
  it('returns true up to 400 days after the end of the range', () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    expect([hasTotals(undefined), hasTotals(daysAgo(399)), hasTotals(daysAgo(401))]).toEqual([true, true, false]);
  });
});
