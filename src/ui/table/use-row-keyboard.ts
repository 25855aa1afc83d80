'use client';
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { hasSingleKeys } from '../keys';

type Options = {
  ids: readonly string[];
  bodyRef: RefObject<HTMLElement | null>;
  /** Brings the row into view and into the document. */
  reveal: (index: number) => void;
  pageSize: () => number;
  onOpen?: (index: number) => void;
  onToggle?: (index: number) => void;
  /** For Esc: clears the selection; undefined while there is none. */
  onEscape?: () => void;
  /** Further keys, asked first; `moveTo` makes another row the current one. */
  onKey?: (key: string, index: number, moveTo: (index: number) => void) => (() => void) | undefined;
};

/**
 * The table is one stop of the Tab key: one row is current, arrows move it, and only the current row's links and buttons
 * are further stops. `j` and `k` are the arrows of those whose fingers know them. Rows carry `data-row-id`.
 */
export function useRowKeyboard({ ids, bodyRef, reveal, pageSize, onOpen, onToggle, onEscape, onKey }: Options) {
  const [currentId, setCurrentId] = useState<string | null>(null);
  // A row that is gone hands over to the first.
  const currentIndex = Math.max(0, currentId === null ? 0 : ids.indexOf(currentId));
  const moved = useRef(false);

  useLayoutEffect(() => {
    const body = bodyRef.current;
    if (!body) return;
    for (const row of body.querySelectorAll<HTMLElement>('tr[data-row-id]')) {
      const current = row.dataset.rowId === ids[currentIndex];
      setTabStops(row, current);
      if (current && moved.current) row.focus({ preventScroll: true });
    }
    moved.current = false;
  });

  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(ids.length - 1, index));
    const id = ids[next];
    if (id === undefined) return;
    moved.current = true;
    setCurrentId(id);
    reveal(next);
  };

  const getKeyAction = (key: string, row: HTMLElement): (() => void) | undefined => {
    switch (key) {
      case 'j':
      case 'ArrowDown':
        return () => moveTo(currentIndex + 1);
      case 'k':
      case 'ArrowUp':
        return () => moveTo(currentIndex - 1);
      case 'PageDown':
        return () => moveTo(currentIndex + pageSize());
      case 'PageUp':
        return () => moveTo(currentIndex - pageSize());
      case 'Home':
        return () => moveTo(0);
      case 'End':
        return () => moveTo(ids.length - 1);
      case 'Enter':
        return onOpen ? () => onOpen(currentIndex) : pressFirst(row);
      case ' ':
        return onToggle && (() => onToggle(currentIndex));
      case 'Escape':
        return onEscape;
      default:
        return undefined;
    }
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Keys inside a cell belong to the control there.
    if (!(event.target instanceof HTMLElement) || !event.target.matches('tr[data-row-id]')) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if ((event.key === 'j' || event.key === 'k') && !hasSingleKeys()) return;
    const handled = onKey?.(event.key, currentIndex, moveTo) ?? getKeyAction(event.key, event.target);
    if (!handled) return;
    event.preventDefault();
    // Esc that clears the selection must not close the drawer around the list as well.
    if (event.key === 'Escape') event.stopPropagation();
    handled();
  };

  return {
    currentIndex,
    /** Follows the focus when it enters a row by pointer or Tab. */
    onFocus: (event: { target: EventTarget }) => {
      const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('tr[data-row-id]') : null;
      if (row?.dataset.rowId) setCurrentId(row.dataset.rowId);
    },
    onKeyDown,
  };
}

/** What Enter does on a row without a page: its first link, else its first button that is not a selection. */
function pressFirst(row: HTMLElement): (() => void) | undefined {
  const control =
    row.querySelector<HTMLElement>('a[href]') ??
    row.querySelector<HTMLElement>('button:not([role="checkbox"], :disabled)');
  return control === null ? undefined : () => control.click();
}

const STOPS = 'a[href], button, input, [tabindex]';

/** Rows bring their own links and buttons, which know nothing of the table: their tab stops are set from outside. */
function setTabStops(row: HTMLElement, active: boolean) {
  for (const element of row.querySelectorAll<HTMLElement>(STOPS)) {
    if (active && element.dataset.parked !== undefined) {
      element.tabIndex = Number(element.dataset.parked);
      delete element.dataset.parked;
    } else if (!active && element.dataset.parked === undefined && element.tabIndex >= 0) {
      element.dataset.parked = String(element.tabIndex);
      element.tabIndex = -1;
    }
  }
}
