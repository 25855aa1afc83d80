'use client';
import { useSyncExternalStore } from 'react';
import { parseTheme, type Theme, themeCookie } from './theme-cookie';

const CHANGED = 'fabric.theme-changed';

function subscribe(notify: () => void) {
  window.addEventListener(CHANGED, notify);
  return () => window.removeEventListener(CHANGED, notify);
}

/** The chosen theme and a function that changes it at once and for later visits. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore<Theme>(
    subscribe,
    () => parseTheme(document.documentElement.dataset.theme),
    () => 'system',
  );
  const setTheme = (next: Theme) => {
    document.documentElement.dataset.theme = next;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP, where this may run.
    document.cookie = themeCookie(next);
    window.dispatchEvent(new Event(CHANGED));
  };
  return [theme, setTheme];
}
