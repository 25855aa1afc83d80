'use client';
import { useEffect, useEffectEvent } from 'react';

/** Runs `action` for Ctrl (on Apple keyboards ⌘) and `key`, wherever the focus is. */
export function useModHotkey(key: string, action: () => void): void {
  const run = useEffectEvent(action);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.repeat) return;
      if (event.key.toLowerCase() !== key) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [key]);
}
