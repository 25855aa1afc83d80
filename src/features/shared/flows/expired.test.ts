import { expect, it } from 'vitest';
import { expiredRange } from './expired';

it('tells a range that has expired from one of which something may be kept', () => {
  const kept = '2026-03-10T12:00:00.000Z';
  expect(expiredRange('2026-03-10T12:00:00Z', kept)).toBe(kept);
  expect(expiredRange('2026-03-10T11:00:00Z', kept)).toBe(kept);
  expect(expiredRange('2026-03-10T12:00:00.001Z', kept)).toBeNull();
  // A range without an end reaches up to now, and while it loads nothing is known.
  expect(expiredRange(undefined, kept)).toBeNull();
  expect(expiredRange('2026-03-10T11:00:00Z', null)).toBeNull();
});
