'use client';
import { useSyncExternalStore } from 'react';

const KEY = 'fabric.sidebar';
const CHANGED = 'fabric.sidebar-changed';

function subscribe(notify: () => void) {
  window.addEventListener(CHANGED, notify);
  window.addEventListener('storage', notify);
  return () => {
    window.removeEventListener(CHANGED, notify);
    window.removeEventListener('storage', notify);
  };
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) === 'compact';
  } catch {
    return false;
  }
}

/** Whether the sidebar shows icons only; remembered in this browser. */
export function useSidebarCompact(): [boolean, (compact: boolean) => void] {
  const compact = useSyncExternalStore(subscribe, read, () => false);
  const setCompact = (next: boolean) => {
    try {
      localStorage.setItem(KEY, next ? 'compact' : 'wide');
    } catch {
      // Storage is forbidden: the sidebar stays as it is.
    }
    window.dispatchEvent(new Event(CHANGED));
  };
  return [compact, setCompact];
}
