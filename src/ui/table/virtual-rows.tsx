'use client';
import { type MouseEvent, type RefObject, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { computeRowRange, listRenderedRows, OVERSCAN, ROW_HEIGHT, type RowRange, scrollTopFor } from './row-range';

type Options = {
  count: number;
  scrollRef: RefObject<HTMLElement | null>;
  /** Stays in the document, or it would lose the focus when it is scrolled away. */
  currentIndex: number;
};

const AT_FIRST: RowRange = { first: 0, last: 20 + OVERSCAN };
const isSame = (a: RowRange, b: RowRange) => a.first === b.first && a.last === b.last;

/** Which rows of a table are in the document: those that can be seen, and the current one. All rows are equally high. */
export function useVirtualRows({ count, scrollRef, currentIndex }: Options) {
  const [range, setRange] = useState(AT_FIRST);
  useLayoutEffect(() => {
    const scroller = scrollRef.current;
    if (!scroller) return;
    const look = () =>
      setRange((before) => {
        const next = computeRowRange(scroller.scrollTop, scroller.clientHeight);
        return isSame(before, next) ? before : next;
      });
    // Within the frame that shows the new place, or it would show a gap.
    const onScroll = () => flushSync(look);
    const resized = new ResizeObserver(look);
    look();
    resized.observe(scroller);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      resized.disconnect();
      scroller.removeEventListener('scroll', onScroll);
    };
  }, [scrollRef]);
  return {
    indexes: listRenderedRows(range, count, currentIndex),
    reveal: (index: number) => {
      const scroller = scrollRef.current;
      if (scroller) scroller.scrollTop = scrollTopFor(index, scroller.scrollTop, scroller.clientHeight);
    },
  };
}

/** How many rows a page key moves by. */
export const getPageSize = (scroller: HTMLElement | null): number =>
  Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / ROW_HEIGHT) - 2);

/** In place of `rows` rows that are not in the document. */
export function RowGap({ rows, columnCount }: { rows: number; columnCount: number }) {
  if (rows <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can take the focus.
    <tr aria-hidden="true">
      <td colSpan={columnCount} style={{ height: rows * ROW_HEIGHT, padding: 0 }} />
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
