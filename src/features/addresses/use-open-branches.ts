'use client';
import { useState } from 'react';

const KEY = 'fabric.prefix-tree';

function stored(): Record<string, boolean> {
  try {
    const value: unknown = JSON.parse(window.sessionStorage.getItem(KEY) ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, open]) => typeof open === 'boolean'));
  } catch {
    return {};
  }
}

/** Which branches of the prefix tree somebody has opened or closed in this tab; they stay so when one comes back. */
export function useOpenBranches() {
  const [chosen, setChosen] = useState(stored);
  return {
    /** Open or closed by hand; undefined when nobody chose. */
    chosen: (id: string): boolean | undefined => chosen[id],
    set: (id: string, open: boolean) => {
      const next = { ...chosen, [id]: open };
      setChosen(next);
      try {
        window.sessionStorage.setItem(KEY, JSON.stringify(next));
      } catch {
        // Without storage the tree starts afresh next time.
      }
    },
  };
}
