'use client';
import { useCallback, useEffect, useState } from 'react';
import { msg } from '@/lib/i18n/translator';

const MINUTE_MS = 60_000;

/** Spans that count back from now. */
export const TRAFFIC_RANGES = [
  { value: '15m', label: msg('Last 15 minutes'), minutes: 15 },
  { value: '1h', label: msg('Last hour'), minutes: 60 },
  { value: '6h', label: msg('Last 6 hours'), minutes: 6 * 60 },
  { value: '24h', label: msg('Last 24 hours'), minutes: 24 * 60 },
  { value: '7d', label: msg('Last 7 days'), minutes: 7 * 24 * 60 },
  { value: '30d', label: msg('Last 30 days'), minutes: 30 * 24 * 60 },
] as const;
export type TrafficRange = (typeof TRAFFIC_RANGES)[number]['value'];
export const TRAFFIC_RANGE_VALUES = TRAFFIC_RANGES.map(({ value }) => value);
export const DEFAULT_RANGE: TrafficRange = '1h';

/** While flows are followed as they come, the chart shows this much. */
export const LIVE_RANGE: TrafficRange = '15m';

type Given = { range: TrafficRange | null; since: string | null; until: string | null };

/**
 * The times that are asked for. Given times win over a span; a span ends at `now` (milliseconds), which stays the same until
 * the view is refreshed: chart, groups and all pages of the list then show one and the same time.
 */
export function resolveRange({ range, since, until }: Given, now: number): { since: string; until?: string } {
  if (since) return { since, ...(until && { until }) };
  const span = TRAFFIC_RANGES.find(({ value }) => value === (range ?? DEFAULT_RANGE)) ?? TRAFFIC_RANGES[1];
  const end = until ? Date.parse(until) : now;
  return { since: new Date(end - span.minutes * MINUTE_MS).toISOString(), until: new Date(end).toISOString() };
}

/**
 * The moment up to which is looked at (milliseconds), and a way to bring it up to now. With `everyMs` it comes by itself
 * while the tab is visible.
 */
export function useRefresh(everyMs: number | null): { now: number; refresh: () => void } {
  const [now, setNow] = useState(() => Date.now());
  const refresh = useCallback(() => setNow(Date.now()), []);
  useEffect(() => {
    if (everyMs === null) return;
    refresh();
    const timer = setInterval(() => document.visibilityState === 'visible' && refresh(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, refresh]);
  return { now, refresh };
}

/** Since when traffic is kept, if all of a range is older: then nothing is known of it. Null while any of it may be kept. */
export const expiredRange = (until: string | undefined, keptSince: string | null | undefined): string | null =>
  until !== undefined && keptSince && Date.parse(until) <= Date.parse(keptSince) ? keptSince : null;
