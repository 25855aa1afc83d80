'use client';
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';

type Options = {
  ids: readonly string[];
  bodyRef: RefObject<HTMLElement | null>;
  /** Brings the row into view and into the document. */
  reveal: (index: number) => void;
  pageSize: () => number;
  onOpen?: (index: number) => void;
  onToggle?: (index: number) => void;
  /** Further keys, asked first; `moveTo` makes another row the current one. */
  onKey?: (key: string, index: number, moveTo: (index: number) => void) => (() => void) | undefined;
};

/**
 * The table is one stop of the Tab key: one row is current, arrows move it, and only the current row's links and buttons
 * are further stops. Rows carry `data-row-id`.
 */
export function useRowKeyboard({ ids, bodyRef, reveal, pageSize, onOpen, onToggle, onKey }: Options) {
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

  const actionOf = (key: string): (() => void) | undefined => {
    switch (key) {
      case 'ArrowDown':
        return () => moveTo(currentIndex + 1);
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
        return onOpen && (() => onOpen(currentIndex));
      case ' ':
        return onToggle && (() => onToggle(currentIndex));
      default:
        return undefined;
    }
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Keys inside a cell belong to the control there.
    if (!(event.target instanceof HTMLElement) || !event.target.matches('tr[data-row-id]')) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const handled = onKey?.(event.key, currentIndex, moveTo) ?? actionOf(event.key);
    if (!handled) return;
    event.preventDefault();
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
