'use client';
import { useSyncExternalStore } from 'react';

export const TIME_ZONES = ['local', 'utc'] as const;
export const TIME_STYLES = ['relative', 'absolute'] as const;

/** How times are shown: as distance from now or as date and time, in the zone of the browser or in UTC. */
export type TimeDisplay = { zone: (typeof TIME_ZONES)[number]; style: (typeof TIME_STYLES)[number] };

const COOKIE = 'fabric_time';
const DEFAULT: TimeDisplay = { zone: 'local', style: 'relative' };

let chosen: TimeDisplay | null = null;
const listeners = new Set<() => void>();

/** The choice that a cookie value holds; what is unknown is the default. */
export function parseTimeDisplay(value: string | undefined): TimeDisplay {
  const [zone, style] = (value ?? '').split('.');
  return {
    zone: TIME_ZONES.find((one) => one === zone) ?? DEFAULT.zone,
    style: TIME_STYLES.find((one) => one === style) ?? DEFAULT.style,
  };
}

/** The choice of this browser; the default where there is no browser. */
export function timeDisplay(): TimeDisplay {
  if (typeof document === 'undefined') return DEFAULT;
  chosen ??= parseTimeDisplay(new RegExp(`(?:^|; )${COOKIE}=([^;]*)`).exec(document.cookie)?.[1]);
  return chosen;
}

/** The zone that formats take: undefined is that of the browser. */
export const displayZone = (): string | undefined => (timeDisplay().zone === 'utc' ? 'UTC' : undefined);

/** Changes how times are shown, immediately and for later visits. */
export function setTimeDisplay(change: Partial<TimeDisplay>): void {
  chosen = { ...timeDisplay(), ...change };
  const secure = window.location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP, where this may run.
  document.cookie = `${COOKIE}=${chosen.zone}.${chosen.style}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  for (const listener of listeners) listener();
}

/** How times are shown; renders again when that changes. */
export function useTimeDisplay(): TimeDisplay {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    timeDisplay,
    () => DEFAULT,
  );
}
