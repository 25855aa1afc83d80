import { describe, expect, it } from 'vitest';
import { expiredRange, resolveRange } from './traffic-range';

describe('traffic range', () => {
  const now = Date.parse('2026-06-01T12:00:00Z');

  it('counts spans back from the moment of the last refresh', () => {
    expect(resolveRange({ range: null, since: null, until: null }, now)).toEqual({
      since: '2026-06-01T11:00:00.000Z',
      until: '2026-06-01T12:00:00.000Z',
    });
    expect(resolveRange({ range: '15m', since: null, until: null }, now).since).toBe('2026-06-01T11:45:00.000Z');
  });

  it('lets given times win', () => {
    const since = '2026-01-01T00:00:00.000Z';
    const until = '2026-01-02T00:00:00.000Z';
    expect(resolveRange({ range: '7d', since, until }, now)).toEqual({ since, until });
    expect(resolveRange({ range: '7d', since, until: null }, now)).toEqual({ since });
    expect(resolveRange({ range: '24h', since: null, until }, now)).toEqual({
      since: '2026-01-01T00:00:00.000Z',
      until,
    });
  });
});

describe('expired', () => {
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
