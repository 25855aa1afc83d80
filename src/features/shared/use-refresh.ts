'use client';
import { useCallback, useEffect, useState } from 'react';

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
