'use client';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { readStored, useStored } from './use-stored';

/** A key. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border bg-surface-2 px-1 font-sans text-sm leading-none text-muted">
      {children}
    </kbd>
  );
}

/** Whether shortcuts without Ctrl work: `/`, `?`, letters. Speech input presses them by accident (WCAG 2.1.4). */
const SINGLE_KEYS = 'fabric.single-keys';
export const hasSingleKeys = (): boolean => readStored(SINGLE_KEYS) !== 'off';

/** The same in a component, and a function that turns them on or off in this browser. */
export function useSingleKeySwitch(): [boolean, (on: boolean) => void] {
  const [stored, store] = useStored(SINGLE_KEYS);
  return [stored !== 'off', (on) => store(on ? null : 'off')];
}

const TEXT = 'textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit])';
/** What has the keyboard for itself, also for single letters. */
const OWN_KEYS = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], [inert]';

/** Whether a key event goes into text, so that single-letter shortcuts must leave it alone. */
function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT));
}

/** Whether a key event may be a shortcut of the page: a character without Ctrl, Alt or ⌘, outside text, dialogs and menus. */
export function isSingleKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (!hasSingleKeys() || isTyping(event)) return false;
  return !(event.target instanceof Element && event.target.closest(OWN_KEYS));
}

/** Calls `onKey` for keys that may be shortcuts of the page, while the component is mounted. */
export function useSingleKeys(onKey: (event: KeyboardEvent) => void): void {
  const run = useEffectEvent(onKey);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (isSingleKey(event)) run(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
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

/** Focuses the current row of the first list of the page that is shown. @returns whether there is one */
export function focusList(): boolean {
  const rows = document.querySelectorAll<HTMLElement>('main tr[data-row-id][tabindex="0"]');
  for (const row of rows) {
    if (row.closest('[inert], [hidden]') || row.getClientRects().length === 0) continue;
    row.focus();
    return true;
  }
  return false;
}
