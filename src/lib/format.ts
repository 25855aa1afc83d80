import type { Translate } from './i18n/translator';
import { displayZone } from './time/time-display';

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const BIT_UNITS = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'] as const;

/** Shown where a value does not exist. Not for values that could not be read: those are "unknown". */
export const NO_VALUE = '–';

const counts = new Map<string, Intl.NumberFormat>();

/** A whole number with the thousands separators of the page's language, as texts with counts have them: `4312` -> "4,312". */
export function formatCount(value: number): string {
  const locale = globalThis.document?.documentElement.lang || 'en';
  const format = counts.get(locale) ?? new Intl.NumberFormat(locale);
  counts.set(locale, format);
  return format.format(value);
}

/** Bytes with a binary unit and three significant digits: `1536` -> "1.5 KiB". */
export function formatBytes(bytes: number): string {
  return formatScaled(bytes, 1024, BYTE_UNITS);
}

/** Bits per second with a decimal unit: `1500000` -> "1.5 Mbit/s". */
export function formatBitRate(bitsPerSecond: number): string {
  return formatScaled(bitsPerSecond, 1000, BIT_UNITS);
}

function formatScaled(value: number, step: number, units: readonly string[]): string {
  let amount = Math.abs(value);
  let unit = 0;
  // Compare what will be shown: 1023.96 KiB would round to "1024 KiB".
  while (unit < units.length - 1 && Number(formatSignificant(amount, unit)) >= step) {
    amount /= step;
    unit += 1;
  }
  const sign = value < 0 ? '-' : '';
  return `${sign}${formatSignificant(amount, unit)} ${units[unit]}`;
}

function formatSignificant(amount: number, unit: number): string {
  if (unit === 0 || amount >= 99.95) return String(Math.round(amount));
  const text = amount.toFixed(amount >= 9.995 ? 1 : 2);
  return text.replace(/\.?0+$/, '');
}

/** A share of 1 as a percentage. Never rounds up to 100 % or down to 0 %: `0.9996` -> "99.9 %". */
export function formatPercent(share: number): string {
  if (share <= 0) return '0 %';
  if (share >= 1) return '100 %';
  const percent = share * 100;
  if (percent < 0.1) return '< 0.1 %';
  const digits = percent >= 10 && percent < 99 ? 0 : 1;
  const factor = 10 ** digits;
  // Downwards near the end, so that only a whole is called 100 %.
  const value = percent > 99 ? Math.floor(percent * factor) / factor : Math.round(percent * factor) / factor;
  return `${value} %`;
}

const STEPS = [
  { seconds: 86_400, unit: 'd' },
  { seconds: 3_600, unit: 'h' },
  { seconds: 60, unit: 'min' },
  { seconds: 1, unit: 's' },
] as const;

/** A length of time in its two largest units: `3_725_000` ms -> "1 h 2 min"; below a second "240 ms". */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1).replace(/\.0$/, '')} s`;
  let rest = Math.floor(ms / 1000);
  const parts: string[] = [];
  const first = STEPS.findIndex((step) => rest >= step.seconds);
  for (const { seconds, unit } of STEPS.slice(first, first + 2)) {
    const amount = Math.floor(rest / seconds);
    rest -= amount * seconds;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.join(' ');
}

/** A distance in time rounded down to its largest unit, "5 min"; null for less than ten seconds. `milliseconds` of any sign. */
export function formatDistance(milliseconds: number): string | null {
  const seconds = Math.floor(Math.abs(milliseconds) / 1000);
  // Clocks of browser and server differ a little; "in 3 s" for something past would be wrong.
  if (!(seconds >= 10)) return null;
  const step = STEPS.find((candidate) => seconds >= candidate.seconds) ?? STEPS[3];
  return `${Math.floor(seconds / step.seconds)} ${step.unit}`;
}

/** How long ago, or in how long: "just now", "5 min ago", "in 2 h", "3 d ago". Rounds down to whole units. */
export function formatRelative(t: Translate, iso: string, now: number): string {
  const difference = Date.parse(iso) - now;
  if (Number.isNaN(difference)) return NO_VALUE;
  const amount = formatDistance(difference);
  if (amount === null) return t('just now');
  return difference < 0 ? t('{amount} ago', { amount }) : t('in {amount}', { amount });
}

const dateTimes = new Map<string | undefined, Intl.DateTimeFormat>();

function dateTimeFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = dateTimes.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
  dateTimes.set(timeZone, format);
  return format;
}

/** Date and time with seconds and zone: "2026-11-21 03:06:12 UTC". `timeZone` defaults to the chosen one; the server has its own. */
export function formatDateTime(iso: string, timeZone = displayZone()): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return NO_VALUE;
  const parts = dateTimeFormat(timeZone).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((p) => p.type === type)?.value ?? '';
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  return `${date} ${part('hour')}:${part('minute')}:${part('second')} ${part('timeZoneName')}`;
}

/** Date and time where there is little room: the time today, else month, day and time, else the date. UTC is marked with Z. */
export function formatShortDateTime(iso: string, now: number): string {
  const text = formatDateTime(iso);
  if (text === NO_VALUE) return text;
  const today = formatDateTime(new Date(now).toISOString());
  if (text.slice(0, 4) !== today.slice(0, 4)) return text.slice(0, 10);
  const mark = displayZone() === undefined ? '' : 'Z';
  return `${text.slice(0, 10) === today.slice(0, 10) ? text.slice(11, 19) : text.slice(5, 16)}${mark}`;
}

/** The absolute time in the other zone: in UTC where times are shown in the zone of the browser, and the reverse. */
export function formatInOtherZone(iso: string): string {
  const other = displayZone() === undefined ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
  return formatDateTime(iso, other);
}

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A text of the service with the UTC times in it as the reader's. */
export const formatTimesIn = (text: string): string =>
  text.replace(ISO_TIME, (iso) => (Number.isNaN(Date.parse(iso)) ? iso : formatDateTime(iso)));
