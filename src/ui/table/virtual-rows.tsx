'use client';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type RefObject, useCallback } from 'react';

export const ROW_HEIGHT = 32;

type Options = {
  rows: readonly { id: string }[];
  scrollRef: RefObject<HTMLElement | null>;
  /** Stays in the document, or it would lose the focus when it is scrolled away. */
  currentIndex: number;
};

/** Which rows of a table are in the document: those that can be seen, and the current one. */
export function useVirtualRows({ rows, scrollRef, currentIndex }: Options) {
  return useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 10,
    // The sticky header lies over the first ROW_HEIGHT pixels.
    scrollMargin: ROW_HEIGHT,
    scrollPaddingStart: ROW_HEIGHT,
    initialRect: { width: 0, height: 640 },
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      if (currentIndex >= rows.length || shown.includes(currentIndex)) return shown;
      return [...shown, currentIndex].sort((a, b) => a - b);
    },
  });
}

/** How many rows a page key moves by. */
export const getPageSize = (scroller: HTMLElement | null): number =>
  Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / ROW_HEIGHT) - 2);

/** Placeholder for rows that are not in the document. */
export function RowGap({ height, columnCount }: { height: number; columnCount: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can take the focus.
    <tr aria-hidden="true">
      <td colSpan={columnCount} style={{ height, padding: 0 }} />
    </tr>
  );
}

/** A press of a row: not on a control, not with a modifier, not the end of a text selection. */
export function isPlainPress(event: MouseEvent<HTMLElement>): boolean {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return false;
  if (!(event.target instanceof Element)) return false;
  // Menus of a row are portalled: their events bubble through React, not through the document.
  if (!event.currentTarget.contains(event.target)) return false;
  if (event.target.closest('a, button, input, label, [role="checkbox"]')) return false;
  return (window.getSelection()?.toString() ?? '') === '';
}
