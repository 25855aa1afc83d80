import type { TimeDisplay } from './time-display';

export type Zone = TimeDisplay['zone'];

/** A day of the calendar; months count from 1. */
export type Day = { year: number; month: number; day: number };

/** The day of a time in milliseconds. */
export function toDay(at: number, zone: Zone): Day {
  const date = new Date(at);
  return zone === 'utc'
    ? { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
    : { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}

/** The time of day on a day, in milliseconds. Days beyond the end of a month and minutes beyond that of a day carry over. */
export function toTimestamp({ year, month, day }: Day, minutes: number, zone: Zone): number {
  // Date.UTC and the constructor of Date take a year below 100 for one of the last century.
  const date = new Date(2000, 0, 1);
  if (zone === 'local') {
    date.setFullYear(year, month - 1, day);
    return date.setHours(0, minutes);
  }
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(0, minutes, 0, 0);
}

/** A day so many days later. */
export function addDays({ year, month, day }: Day, days: number): Day {
  return toDay(toTimestamp({ year, month, day: day + days }, 0, 'utc'), 'utc');
}

/** 0 for Monday to 6 for Sunday. */
export const getWeekday = (day: Day): number => (new Date(toTimestamp(day, 0, 'utc')).getUTCDay() + 6) % 7;

/** Whether the calendar has this day. */
export function isDay(day: Day): boolean {
  const same = addDays(day, 0);
  return day.year >= 2000 && day.year < 2200 && same.month === day.month && same.day === day.day;
}

const pad = (value: number) => String(value).padStart(2, '0');

/** The time as `<input type="datetime-local">` has it. */
export function toInput(at: number, zone: Zone): string {
  const { year, month, day } = toDay(at, zone);
  const date = new Date(at);
  const [hours, minutes] =
    zone === 'utc' ? [date.getUTCHours(), date.getUTCMinutes()] : [date.getHours(), date.getMinutes()];
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}T${pad(hours)}:${pad(minutes)}`;
}

/** The inverse; null for an empty or unfinished input. */
export function fromInput(text: string, zone: Zone): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0] = match.slice(1).map(Number);
  const at = toTimestamp({ year, month, day }, hours * 60 + minutes, zone);
  return Number.isNaN(at) ? null : at;
}
