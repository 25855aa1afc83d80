'use client';
import { useSyncExternalStore } from 'react';
import { parseTheme, type Theme, themeCookie } from './theme-cookie';

const CHANGED = 'fabric.theme-changed';

function subscribe(notify: () => void) {
  window.addEventListener(CHANGED, notify);
  return () => window.removeEventListener(CHANGED, notify);
}

function setTheme(theme: Theme) {
  document.documentElement.dataset.theme = theme;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on plain HTTP, where this may run.
  document.cookie = themeCookie(theme, window.location.protocol);
  window.dispatchEvent(new Event(CHANGED));
}

/** The chosen theme, and a (stable) function that changes it immediately and for later visits. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore<Theme>(
    subscribe,
    () => parseTheme(document.documentElement.dataset.theme),
    () => 'system',
  );
  return [theme, setTheme];
}
