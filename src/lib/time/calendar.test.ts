import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDays, fromInput, getWeekday, toInput } from './calendar';

const year = fc.integer({ min: 1, max: 9999 });
const pad = (value: number, length: number) => String(value).padStart(length, '0');

it('reads what is typed into an input back as it was typed, in any year', () => {
  const day = fc.tuple(year, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }));
  fc.assert(
    fc.property(day, fc.constantFrom('utc', 'local'), ([y, month, date], zone) => {
      // Noon, which no zone skips when it changes its clocks.
      const typed = `${pad(y, 4)}-${pad(month, 2)}-${pad(date, 2)}T12:30`;
      expect(toInput(fromInput(typed, zone) ?? Number.NaN, zone)).toBe(typed);
    }),
  );
});

it('counts days and weekdays of any year as the calendar does', () => {
  fc.assert(
    fc.property(year, fc.integer({ min: 0, max: 365 }), (y, days) => {
      const date = new Date(`${pad(y, 4)}-01-01T00:00:00Z`);
      date.setUTCDate(1 + days);
      const after = addDays({ year: y, month: 1, day: 1 }, days);
      expect(after).toEqual({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() });
      expect(getWeekday(after)).toBe((date.getUTCDay() + 6) % 7);
    }),
  );
});
