import { expect, it } from 'vitest';
import { resolveRange } from './traffic-range';

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
  expect(resolveRange({ range: '24h', since: null, until }, now)).toEqual({ since: '2026-01-01T00:00:00.000Z', until });
});
