import { expect, it } from 'vitest';
import { createImpact } from './impact.fixture';
import { DAY, toRequestedTimes, toRerunTimes } from './use-impact';

const NOW = Date.parse('2026-11-25T12:00:00.000Z');
const none = { range: null, since: null, until: null };

it('leaves the window of the last 24 hours to the service, and gives any other', () => {
  expect(toRequestedTimes(DAY, NOW)).toEqual({});
  expect(toRequestedTimes({ ...none, range: '400d' }, NOW)).toEqual({ since: '2025-10-21T12:00:00.000Z' });
  // No span in a time range is the last hour, as the control shows it.
  expect(toRequestedTimes(none, NOW)).toEqual({ since: '2026-11-25T11:00:00.000Z' });
  const since = '2026-11-01T00:00:00.000Z';
  expect(toRequestedTimes({ ...none, since }, NOW)).toEqual({ since });
});

it('moves a window that ended when it was asked for, and keeps another one', () => {
  expect(toRerunTimes(createImpact(), NOW)).toEqual({});
  const window = { since: '2026-11-25T05:00:00.000Z', until: '2026-11-25T06:00:00.000Z', source: 'flows' as const };
  expect(toRerunTimes(createImpact({ window }), NOW)).toEqual({ since: '2026-11-25T11:00:00.000Z' });
  const earlier = { since: '2026-11-24T05:00:00.000Z', until: '2026-11-24T06:00:00.000Z', source: 'flows' as const };
  expect(toRerunTimes(createImpact({ window: earlier }), NOW)).toEqual({ since: earlier.since, until: earlier.until });
});
