'use client';
import clsx from 'clsx';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { GREATEST_WIDTH, LEAST_WIDTH } from './column-layout';

type Props = {
  /** The column's title. */
  header: string;
  /** In pixels, as declared or chosen; a column that grows is wider. */
  width: number;
  /** Whether the Tab key stops here: at one edge of a table. */
  tabStop: boolean;
  onFocus: () => void;
  /** The last one does not reach over the end of the table. */
  last: boolean;
  /** While the edge is drawn, and once more when it is released, with `done`. */
  onResize: (width: number, done: boolean) => void;
};

const STEP = 16;
const LARGE_STEP = 64;

const findHeader = (handle: HTMLElement) => handle.closest('th');
const measureWidth = (handle: HTMLElement) => Math.round(findHeader(handle)?.getBoundingClientRect().width ?? 0);

/**
 * The edge of a column: it is drawn, or moved by the arrow keys; a double click or Enter fits the column to its content. All edges
 * of a table are one stop of the Tab key, and arrow up and down go from one to the next.
 */
export function ColumnResizer({ header, width, tabStop, onFocus, last, onResize }: Props) {
  const t = useT();
  // The real width of a column that grows is read when its edge gets the focus.
  const [measured, setMeasured] = useState<{ of: number; now: number } | null>(null);
  const drag = useRef<{ from: number; width: number } | null>(null);

  const fitToContent = (handle: HTMLElement) => {
    const cell = findHeader(handle);
    if (cell) onResize(measureContent(cell), true);
  };

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus({ preventScroll: true });
    drag.current = { from: event.clientX, width: measureWidth(event.currentTarget) };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!drag.current) return;
    onResize(drag.current.width + event.clientX - drag.current.from, false);
  };
  const onPointerEnd = (event: PointerEvent<HTMLElement>) => {
    const start = drag.current;
    drag.current = null;
    if (start && event.clientX !== start.from) onResize(start.width + event.clientX - start.from, true);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const handle = event.currentTarget;
    const step = event.shiftKey ? LARGE_STEP : STEP;
    if (event.key === 'ArrowLeft') onResize(measureWidth(handle) - step, true);
    else if (event.key === 'ArrowRight') onResize(measureWidth(handle) + step, true);
    else if (event.key === 'ArrowUp') moveFocus(handle, -1);
    else if (event.key === 'ArrowDown') moveFocus(handle, 1);
    else if (event.key === 'Enter') fitToContent(handle);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> cannot be moved; a separator with a value can.
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={t('Width of column {name}', { name: header })}
      aria-valuenow={measured?.of === width ? measured.now : width}
      aria-valuemin={LEAST_WIDTH}
      aria-valuemax={GREATEST_WIDTH}
      tabIndex={tabStop ? 0 : -1}
      onFocus={(event) => {
        setMeasured({ of: width, now: measureWidth(event.currentTarget) });
        onFocus();
      }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerEnd}
      onPointerCancel={onPointerEnd}
      onDoubleClick={(event) => fitToContent(event.currentTarget)}
      onKeyDown={onKeyDown}
      className={clsx(
        'group/edge absolute inset-y-0 z-1 flex w-6 cursor-col-resize touch-none justify-center rounded-sm max-md:hidden',
        last ? 'right-0 justify-end' : '-right-3',
      )}
    >
      <span
        className={clsx(
          'my-2 w-px bg-line group-hover/edge:w-0.5 group-hover/edge:bg-accent group-focus-visible/edge:w-0.5',
          'group-focus-visible/edge:bg-accent',
        )}
      />
    </span>
  );
}

/** Puts the focus on the edge that many columns further. */
function moveFocus(handle: HTMLElement, by: 1 | -1) {
  const edges = [...(handle.closest('tr')?.querySelectorAll<HTMLElement>('[role="separator"]') ?? [])];
  edges[edges.indexOf(handle) + by]?.focus();
}

/**
 * How wide a column would have to be to show its title and all cells that are in the document in full. The table is laid out by its
 * content for a moment; nothing of that is painted.
 */
function measureContent(header: HTMLTableCellElement): number {
  const table = header.closest('table');
  if (!table) return header.offsetWidth;
  const scroller = table.parentElement;
  const scrolled = scroller?.scrollLeft ?? 0;
  const columns = [...table.querySelectorAll('col')];
  const tableStyle = table.getAttribute('style');
  const columnStyles = columns.map((column) => column.style.width);
  table.style.tableLayout = 'auto';
  table.style.width = 'max-content';
  table.style.minWidth = '0';
  for (const column of columns) column.style.width = '';
  const width = Math.ceil(header.getBoundingClientRect().width);
  for (const [index, column] of columns.entries()) column.style.width = columnStyles[index] ?? '';
  table.style.cssText = tableStyle ?? '';
  if (scroller) scroller.scrollLeft = scrolled;
  return width;
}
