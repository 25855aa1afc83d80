import { HOURLY_HOURS } from '@/domain/flow/plan-range';
import { formatDateTime, formatDuration } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { displayZone } from '@/lib/time/time-display';

/** A range of time as a page keeps it in the URL: a span that ends now ("6h"), or times (RFC 3339), open where null. */
export type TimeRange = { range: string | null; since: string | null; until: string | null };

/** A range as the service takes it. */
export type Times = { since: string; until?: string };

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Spans that can be chosen; others can be typed. */
export const SPANS = [
  { value: '15m', label: msg('Last 15 minutes') },
  { value: '1h', label: msg('Last hour') },
  { value: '6h', label: msg('Last 6 hours') },
  { value: '24h', label: msg('Last 24 hours') },
  { value: '7d', label: msg('Last 7 days') },
  { value: '30d', label: msg('Last 30 days') },
] as const;
export const DEFAULT_SPAN = '1h';

/** While flows are followed as they come, the chart shows this much. */
export const LIVE_SPAN = '15m';

/** The length of a span in milliseconds; null for what is none: "6h". At most 999 days. */
export function spanMs(span: string | null): number | null {
  const match = /^([1-9]\d{0,2})([mhd])$/.exec(span ?? '');
  return match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : null;
}

/**
 * The times that are asked for. Given times win over a span; a span ends at `now` (milliseconds), which stays the same until
 * the view is refreshed: chart, groups and all pages of the list then show one and the same time.
 */
export function resolveRange({ range, since, until }: TimeRange, now: number): Times {
  if (since) return { since, ...(until && { until }) };
  const length = spanMs(range) ?? spanMs(DEFAULT_SPAN) ?? 0;
  const end = until ? Date.parse(until) : now;
  return { since: new Date(end - length).toISOString(), until: new Date(end).toISOString() };
}

const toFixedRange = (since: number, until: number): TimeRange => ({
  range: null,
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
});

/** The range of the same length just before or after; never beyond now. */
export function shiftRange(times: Times, direction: -1 | 1, now: number): TimeRange {
  const since = Date.parse(times.since);
  const until = times.until ? Date.parse(times.until) : now;
  const length = until - since;
  const end = direction < 0 ? since : Math.max(until, Math.min(until + length, now));
  return toFixedRange(end - length, end);
}

/** Twice the length around the same middle; moved back where it would reach beyond now. */
export function zoomOut(times: Times, now: number): TimeRange {
  const since = Date.parse(times.since);
  const until = times.until ? Date.parse(times.until) : now;
  const length = until - since;
  const end = Math.max(until, Math.min(until + length / 2, now));
  return toFixedRange(Math.round(end - 2 * length), Math.round(end));
}

/** Whether there is anything after a range. */
export const hasLater = ({ until }: Times, now: number): boolean => until !== undefined && Date.parse(until) < now;

/** "Last 6 hours", in the language of the page. */
export function spanText(t: Translate, span: string): string {
  const known = SPANS.find(({ value }) => value === span);
  return known ? t(known.label) : t('Last {time}', { time: formatDuration(spanMs(span) ?? 0) });
}

/** "UTC+2": how far the clock of the browser is from UTC at a time. */
function offsetText(time: string): string {
  const minutes = -new Date(time).getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** "2026-11-23 18:00–22:00", with UTC where times are shown in it, and with both offsets where the clock was changed between them. */
export function timesText(t: Translate, since: string | null, until: string | null): string {
  const short = (time: string) => formatDateTime(time).slice(0, 16);
  const zone = displayZone() ? ' UTC' : '';
  if (since && until) {
    const isChanged = zone === '' && offsetText(since) !== offsetText(until);
    const [from, to] = [since, until].map((time) => `${short(time)}${isChanged ? ` ${offsetText(time)}` : ''}`) as [
      string,
      string,
    ];
    const sameDay = from.slice(0, 10) === to.slice(0, 10);
    return sameDay ? `${from}–${to.slice(11)}${zone}` : t('{from} to {to}', { from, to: `${to}${zone}` });
  }
  if (since) return t('since {time}', { time: `${short(since)}${zone}` });
  return until ? t('until {time}', { time: `${short(until)}${zone}` }) : '';
}

/**
 * The start of the traffic retention if a range lies entirely before it: then nothing is known about the range. Null
 * while any of it may be retained.
 */
export const expiredRange = (until: string | undefined, keptSince: string | null | undefined): string | null =>
  until !== undefined && keptSince && Date.parse(until) <= Date.parse(keptSince) ? keptSince : null;

/** A range that ends now and spans the retention begins a little earlier by the time it is answered. */
const BEYOND_MS = 5 * 60_000;

/** Whether a range begins before traffic is kept. */
export const isBeforeRetention = (since: string, keptSince: string): boolean =>
  Date.parse(since) < Date.parse(keptSince) - BEYOND_MS;

/** Whether totals are still kept of a range that ends then. */
export const hasTotals = (until: string | undefined): boolean =>
  until === undefined || Date.parse(until) > Date.now() - HOURLY_HOURS * 3_600_000;
