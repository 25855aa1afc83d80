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
export const toTimestamp = ({ year, month, day }: Day, minutes: number, zone: Zone): number =>
  zone === 'utc' ? Date.UTC(year, month - 1, day, 0, minutes) : new Date(year, month - 1, day, 0, minutes).getTime();

/** A day so many days later. */
export function addDays({ year, month, day }: Day, days: number): Day {
  return toDay(Date.UTC(year, month - 1, day + days), 'utc');
}

/** 0 for Monday to 6 for Sunday. */
export const getWeekday = ({ year, month, day }: Day): number =>
  (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;

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
