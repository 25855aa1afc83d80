import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WEEKDAYS } from '../choices';
import { findNextWindow, isMaintenance, type MaintenanceWindow } from './maintenance';

const berlin: MaintenanceWindow = { days: ['sat'], from: '22:00', minutes: 240, time_zone: 'Europe/Berlin' };
const at = (text: string) => Date.parse(text);

describe('isMaintenance', () => {
  it('returns true without windows', () => {
    expect(isMaintenance([], at('2026-11-26T12:00:00Z'))).toBe(true);
  });

  it('follows the time zone of the window, in winter and in summer', () => {
    expect(isMaintenance([berlin], at('2026-11-28T20:59:00Z'))).toBe(false);
    expect(isMaintenance([berlin], at('2026-11-28T21:00:00Z'))).toBe(true);
    expect(isMaintenance([berlin], at('2026-07-25T20:00:00Z'))).toBe(true);
    expect(isMaintenance([berlin], at('2026-07-25T19:59:00Z'))).toBe(false);
  });

  it('includes the time past midnight, and ends after its minutes', () => {
    expect(isMaintenance([berlin], at('2026-11-29T00:59:00Z'))).toBe(true);
    expect(isMaintenance([berlin], at('2026-11-29T01:00:00Z'))).toBe(false);
  });

  it('opens a window that a clock change skips right after it', () => {
    const skipped: MaintenanceWindow = { days: ['sun'], from: '02:30', minutes: 30, time_zone: 'Europe/Berlin' };
    expect(isMaintenance([skipped], at('2026-03-29T01:30:00Z'))).toBe(true);
  });
});

describe.each([
  ['Europe/Berlin', '2027-03-08T12:00:00Z'],
  ['Europe/Berlin', '2027-10-11T12:00:00Z'],
  ['America/New_York', '2027-02-22T12:00:00Z'],
  ['America/New_York', '2027-10-18T12:00:00Z'],
])('four weeks with a clock change in %s, from %s', (time_zone, from) => {
  const STEP = 30 * 60_000;
  const times = Array.from({ length: (4 * 7 * 24 * 3_600_000) / STEP }, (_, i) => at(from) + i * STEP);

  it('have each window for all of its minutes, and the next one within a week', () => {
    for (const day of ['sat', 'sun'] as const) {
      // Outside of the hours that a clock change skips or has twice, and never open at the borders of these weeks.
      const window: MaintenanceWindow = { days: [day], from: '22:00', minutes: 240, time_zone };
      expect(times.filter((time) => isMaintenance([window], time))).toHaveLength((4 * window.minutes) / 30);
      for (const time of times.slice(0, -8 * 48).filter((_, i) => i % 3 === 0)) {
        const next = findNextWindow([[window]], time);
        expect(next === null ? null : next - time).toBeLessThanOrEqual(7 * 24 * 3_600_000 + 3_600_000);
      }
    }
  });
});

describe('findNextWindow', () => {
  it('returns now when every window is open', () => {
    const now = at('2026-11-28T22:00:00Z');
    expect(findNextWindow([[berlin], []], now)).toBe(now);
  });

  it('returns null when the windows of two tenants never meet', () => {
    const other: MaintenanceWindow = { ...berlin, days: ['mon'] };
    expect(findNextWindow([[berlin], [other]], at('2026-11-26T12:00:00Z'))).toBeNull();
  });

  it('finds the first time at which every tenant has an open window', () => {
    const window = fc.record({
      days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
      from: fc.constantFrom('00:00', '01:30', '12:15', '23:45'),
      minutes: fc.constantFrom(60, 600, 1440),
      time_zone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata'),
    });
    const start = at('2026-11-26T00:00:00Z');
    fc.assert(
      fc.property(fc.array(window, { maxLength: 2 }), window, fc.integer({ min: 0, max: 7 * 1440 }), (a, b, minute) => {
        const now = start + minute * 60_000;
        const tenants = [a, [b]];
        const expected = Array.from({ length: 8 * 24 }, (_, step) => now + step * 3_600_000).find((time) =>
          tenants.every((windows) => isMaintenance(windows, time)),
        );
        const found = findNextWindow(tenants, now);
        if (expected === undefined) return;
        expect(found).not.toBeNull();
        expect(found).toBeLessThanOrEqual(expected);
        expect(tenants.every((windows) => isMaintenance(windows, found ?? 0))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });
});
