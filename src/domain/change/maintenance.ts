import { z } from 'zod';
import { WEEKDAYS } from '../choices';

export const MAX_WINDOWS = 20;

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

/** A time of the week in which changes may be applied: it starts at `from` of these days, in this time zone. */
export const MaintenanceWindow = z.strictObject({
  days: z
    .array(z.enum(WEEKDAYS, `One of ${WEEKDAYS.join(', ')}.`))
    .min(1, 'At least one day.')
    .max(7, 'At most seven days.'),
  from: z.string('A time such as 22:30.').regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time such as 22:30.'),
  minutes: z.int('A whole number of minutes.').min(15, 'At least 15 minutes.').max(1440, 'At most 24 hours.'),
  time_zone: z
    .string('A time zone such as Europe/Berlin.')
    .max(64)
    .refine(isTimeZone, 'A time zone such as Europe/Berlin.'),
});
export type MaintenanceWindow = z.output<typeof MaintenanceWindow>;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const createClock = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** The wall-clock time of an instant, as if it were UTC. */
function toLocal(at: number, clock: Intl.DateTimeFormat): number {
  const parts = clock.formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const [year, month, day, hour, minute, second] = (['year', 'month', 'day', 'hour', 'minute', 'second'] as const).map(
    (type) => Number(part(type)),
  ) as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The instant of a wall-clock time; one that a clock change skips is as much later as the clock was moved. */
function fromLocal(wall: number, clock: Intl.DateTimeFormat): number {
  const correct = (at: number) => at + wall - toLocal(at, clock);
  const first = correct(correct(wall));
  return Math.max(first, correct(first));
}

/** Where a window is open or opens next around an instant: its start and end as instants. */
function listOpenings({ days, from, minutes, time_zone }: MaintenanceWindow, now: number) {
  const [hour = 0, minute = 0] = from.split(':').map(Number);
  const openings: { start: number; end: number }[] = [];
  const clock = createClock(time_zone);
  const today = Math.floor(toLocal(now, clock) / DAY);
  // By the calendar: the days of a clock change have 23 or 25 hours.
  for (let day = today - 2; day <= today + 8; day++) {
    // The first day of 1970 was a Thursday.
    if (!days.some((name) => WEEKDAYS.indexOf(name) === (((day + 3) % 7) + 7) % 7)) continue;
    const start = fromLocal(day * DAY + (hour * 60 + minute) * MINUTE, clock);
    openings.push({ start, end: start + minutes * MINUTE });
  }
  return openings.sort((a, b) => a.start - b.start);
}

/** Whether one of the windows is open. Without windows it always is. */
export const isMaintenance = (windows: readonly MaintenanceWindow[], now: number): boolean =>
  windows.length === 0 ||
  windows.some((window) => listOpenings(window, now).some(({ start, end }) => start <= now && now < end));

/**
 * The next instant, at most eight days ahead, at which a window of every tenant is open; null when there is none.
 * @param tenants the windows of each tenant
 */
export function findNextWindow(tenants: readonly (readonly MaintenanceWindow[])[], now: number): number | null {
  const starts = tenants.flat().flatMap((window) => listOpenings(window, now).map(({ start }) => start));
  const candidates = [now, ...starts.filter((start) => start > now)].sort((a, b) => a - b);
  return candidates.find((at) => tenants.every((windows) => isMaintenance(windows, at))) ?? null;
}
