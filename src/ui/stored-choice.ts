'use client';
import { useSyncExternalStore } from 'react';

/**
 * A choice that this browser remembers; the first of `choices` until somebody chooses. Where storage is forbidden it holds for
 * this visit.
 */
export function storedChoice<const C extends readonly [string, ...string[]]>(key: string, choices: C) {
  type Choice = C[number];
  const changed = `${key}-changed`;
  let unstored: Choice | null = null;
  const read = (): Choice => {
    if (unstored !== null) return unstored;
    try {
      const text = localStorage.getItem(key);
      return choices.find((choice) => choice === text) ?? choices[0];
    } catch {
      return choices[0];
    }
  };
  const write = (choice: Choice) => {
    try {
      localStorage.setItem(key, choice);
    } catch {
      unstored = choice;
    }
    window.dispatchEvent(new Event(changed));
  };
  const subscribe = (notify: () => void) => {
    window.addEventListener(changed, notify);
    window.addEventListener('storage', notify);
    return () => {
      window.removeEventListener(changed, notify);
      window.removeEventListener('storage', notify);
    };
  };
  /** The choice, and a stable function that changes it, in every tab. */
  const use = (): [Choice, (choice: Choice) => void] => [
    useSyncExternalStore(subscribe, read, () => choices[0]),
    write,
  ];
  return { read, use };
}
