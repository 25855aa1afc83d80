'use client';
import { useCallback, useEffect, useState } from 'react';

/** Whole seconds left until `until` (epoch milliseconds); 0 when it has passed or is null. Renders once per second. */
export function useCountdown(until: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  const left = until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
  useEffect(() => {
    if (until === null) return;
    setNow(Date.now());
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= until) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [until]);
  return left;
}

/** The value as it was when it last rested for `delayMs`. */
export function useDebounced<T>(value: T, delayMs = 250): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
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
