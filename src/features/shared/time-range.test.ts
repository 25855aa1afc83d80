import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromLocalInput, presetRange, TIME_PRESETS, toLocalInput } from './time-range';

test('a preset reaches back from now and is open at the end', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(presetRange('24h', now)).toEqual({ since: '2026-11-20T12:00:00.000Z', until: null });
  for (const { value } of TIME_PRESETS) expect(presetRange(value, now).since).not.toBeNull();
  expect(presetRange('nonsense', now)).toEqual({ since: null, until: null });
});

test('a time to the minute survives the input, in whatever zone this runs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 66_000_000 }), (minutes) => {
      const time = new Date(minutes * 60_000).toISOString();
      const back = fromLocalInput(toLocalInput(time));
      // In the hour that a clock is set back, two times have the same local name.
      expect(Math.abs(Date.parse(back ?? '') - minutes * 60_000) % 3_600_000).toBe(0);
    }),
  );
});

test.each(['', '2026-11', 'yesterday'])('%s is no time', (text) => expect(fromLocalInput(text)).toBeNull());
