import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  formatBitRate,
  formatBytes,
  formatCount,
  formatDateTime,
  formatDuration,
  formatPercent,
  formatRelative,
  NO_VALUE,
} from './format';
import { english } from './i18n/translator';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [1_048_400, '1 MiB'],
    [10 * 1024 ** 3, '10 GiB'],
    [123_456_789, '118 MiB'],
    [-2048, '-2 KiB'],
  ])('%d -> %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it('stays within half a percent of the value and never shows 1024 of a unit that has a larger one', () => {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 52 }), (bytes) => {
        const [figure = '', unit = ''] = formatBytes(bytes).split(' ');
        const shown = Number(figure) * 1024 ** units.indexOf(unit);
        expect(Math.abs(shown - bytes)).toBeLessThanOrEqual(bytes * 0.0051);
        if (unit !== 'PiB') expect(Number(figure)).toBeLessThan(1024);
      }),
    );
  });
});

describe('formatBitRate', () => {
  it('counts in thousands', () => {
    expect(formatBitRate(999)).toBe('999 bit/s');
    expect(formatBitRate(1_500_000)).toBe('1.5 Mbit/s');
    expect(formatBitRate(999_999)).toBe('1 Mbit/s');
  });
});

describe('formatCount', () => {
  it('groups thousands', () => expect(formatCount(4312)).toBe('4,312'));

  it('groups as the language of the document does', () => {
    vi.stubGlobal('document', { documentElement: { lang: 'de' } });
    expect(formatCount(4312)).toBe('4.312');
    vi.unstubAllGlobals();
    expect(formatCount(4312)).toBe('4,312');
  });
});

describe('formatPercent', () => {
  it.each([
    [0, '0 %'],
    [0.0001, '< 0.1 %'],
    [0.0123, '1.2 %'],
    [0.5, '50 %'],
    [0.9996, '99.9 %'],
    [1, '100 %'],
  ])('%d -> %s', (share, text) => expect(formatPercent(share)).toBe(text));

  it('says 100 % only of a whole, and 0 % only of nothing', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(formatPercent(share) === '100 %').toBe(share === 1);
        expect(formatPercent(share) === '0 %').toBe(share === 0);
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [240, '240 ms'],
    [1000, '1 s'],
    [2340, '2.3 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_725_000, '1 h 2 min'],
    [86_400_000, '1 d'],
    [90_061_000, '1 d 1 h'],
    [86_460_000, '1 d'],
  ])('%d ms -> %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('formatRelative', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  it.each([
    ['2026-11-21T11:59:55Z', 'just now'],
    ['2026-11-21T12:00:05Z', 'just now'],
    ['2026-11-21T11:59:30Z', '30 s ago'],
    ['2026-11-21T11:55:01Z', '4 min ago'],
    ['2026-11-21T10:00:00Z', '2 h ago'],
    ['2026-11-18T11:00:00Z', '3 d ago'],
    ['2026-11-21T14:00:00Z', 'in 2 h'],
    ['never', NO_VALUE],
  ])('%s -> %s', (at, text) => expect(formatRelative(english, at, now)).toBe(text));
});

describe('formatDateTime', () => {
  it('names the zone and uses 24 hours', () => {
    expect(formatDateTime('2026-11-21T00:06:12.345Z', 'UTC')).toBe('2026-11-21 00:06:12 UTC');
    expect(formatDateTime('2026-07-21T12:00:00Z', 'Europe/Berlin')).toMatch(/^2026-07-21 14:00:00 \S+/);
    expect(formatDateTime('nonsense')).toBe(NO_VALUE);
  });
});
