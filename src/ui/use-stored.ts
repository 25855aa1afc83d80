'use client';
import { useCallback, useState, useSyncExternalStore } from 'react';

const CHANGED = 'fabric.stored';

function subscribe(notify: () => void) {
  window.addEventListener(CHANGED, notify);
  window.addEventListener('storage', notify);
  return () => {
    window.removeEventListener(CHANGED, notify);
    window.removeEventListener('storage', notify);
  };
}

/** The text that this browser remembers under a key, outside of components. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * A text that this browser remembers, and a function that replaces it (null forgets it). All components with the key, also in other
 * tabs, show the same. Without storage the text lasts as long as the component.
 */
export function useStored(key: string): [string | null, (text: string | null) => void] {
  const stored = useSyncExternalStore(
    subscribe,
    () => readStored(key),
    () => null,
  );
  const [unstored, setUnstored] = useState<string | null>(null);
  const change = useCallback(
    (text: string | null) => {
      try {
        if (text === null) localStorage.removeItem(key);
        else localStorage.setItem(key, text);
        setUnstored(null);
      } catch {
        // Storage is full or forbidden.
        setUnstored(text);
      }
      window.dispatchEvent(new Event(CHANGED));
    },
    [key],
  );
  return [unstored ?? stored, change];
}
