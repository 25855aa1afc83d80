const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  91 * DAY,
];

const pad = (value: number) => String(value).padStart(2, '0');

/**
 * Marks of a time axis at round times of the browser's zone: at most `most` of them, in milliseconds, with their text. Where
 * a day begins the date stands instead of the time.
 */
export function timeTicks(since: number, until: number, most: number): { at: number; text: string }[] {
  const span = until - since;
  if (!(span > 0) || most < 1) return [];
  const step = STEPS.find((size) => span / size <= most) ?? span;
  const zone = new Date(since).getTimezoneOffset() * MINUTE;
  const ticks: { at: number; text: string }[] = [];
  for (let at = Math.ceil((since - zone) / step) * step + zone; at <= until; at += step) {
    const local = new Date(at);
    const midnight = local.getHours() === 0 && local.getMinutes() === 0 && local.getSeconds() === 0;
    const time = `${pad(local.getHours())}:${pad(local.getMinutes())}${step < MINUTE ? `:${pad(local.getSeconds())}` : ''}`;
    ticks.push({ at, text: midnight || step >= DAY ? `${pad(local.getMonth() + 1)}-${pad(local.getDate())}` : time });
  }
  return ticks;
}
