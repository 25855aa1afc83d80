'use client';
import { type ReactNode, useEffect, useEffectEvent } from 'react';

/** A key. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border bg-surface-2 px-1 font-sans text-sm leading-none text-muted">
      {children}
    </kbd>
  );
}

/** Whether a key event goes into text, so that single-letter shortcuts must leave it alone. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

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
