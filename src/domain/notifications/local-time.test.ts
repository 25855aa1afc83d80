import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimeZone, localTime, withLocalTimes } from './local-time';

describe('localTime', () => {
  it('names the zone and follows its clock changes', () => {
    expect(localTime('2026-11-24T02:15:07.123Z', 'Europe/Berlin')).toBe('2026-11-24 03:15:07 Europe/Berlin');
    expect(localTime('2026-07-01T22:30:00Z', 'Europe/Berlin')).toBe('2026-07-02 00:30:00 Europe/Berlin');
    expect(localTime('2026-07-01T22:30:00Z', 'UTC')).toBe('2026-07-01 22:30:00 UTC');
  });
});

describe('withLocalTimes', () => {
  it('changes every time of a text and nothing else', () => {
    expect(withLocalTimes('No heartbeat from pve-1 since 2026-01-01T00:00:00.000Z.', 'Asia/Tokyo')).toBe(
      'No heartbeat from pve-1 since 2026-01-01 09:00:00 Asia/Tokyo.',
    );
    fc.assert(
      fc.property(
        fc.string(),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        (text, date) => {
          fc.pre(!/\d\d:\d\d:\d\d/.test(text));
          expect(withLocalTimes(text, 'UTC')).toBe(text);
          const iso = date.toISOString();
          expect(withLocalTimes(`at ${iso} ${text}`, 'Asia/Kolkata')).toBe(
            `at ${localTime(iso, 'Asia/Kolkata')} ${text}`,
          );
        },
      ),
    );
  });

  it('keeps what only looks like a time', () => {
    expect(withLocalTimes('2026-99-99T99:99:99Z', 'UTC')).toBe('2026-99-99T99:99:99Z');
  });
});

it('knows which time zones exist', () => {
  expect([isTimeZone('Europe/Paris'), isTimeZone('Mars/Olympus'), isTimeZone('')]).toEqual([true, false, false]);
});
