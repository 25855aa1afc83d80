'use client';
import { Fragment, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { TableRow } from './table-row';
import { useRowKeyboard } from './use-row-keyboard';
import type { ServerTable } from './use-server-table';
import { getPageSize, ROW_HEIGHT, RowGap, useVirtualRows } from './virtual-rows';

/** How many rows before the end the next page is asked for. */
const AHEAD = 30;

type Props<Row extends object> = {
  table: ServerTable<Row>;
  scrollRef: RefObject<HTMLElement | null>;
  selectable: boolean;
  columnCount: number;
  rowName: (row: Row) => string;
  onRowOpen: ((row: Row) => void) | undefined;
  /** Undefined while nothing is selected. */
  onClearSelection: (() => void) | undefined;
  rowActions: ((row: Row) => ReactNode) | undefined;
  /** Called when the end comes near; undefined when there is no more, or while it loads. */
  onNearEnd: (() => void) | undefined;
};

/** The rows that can be seen, and the keyboard over all of them. */
export function TableRows<Row extends object>({
  table,
  scrollRef,
  selectable,
  columnCount,
  rowName,
  onRowOpen,
  onClearSelection,
  rowActions,
  onNearEnd,
}: Props<Row>) {
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const { rows } = table.getRowModel();
  const keyboard = useRowKeyboard({
    ids: rows.map((row) => row.id),
    bodyRef,
    reveal: (index) => virtualizer.scrollToIndex(index),
    pageSize: () => getPageSize(scrollRef.current),
    onOpen: onRowOpen && ((index) => rows[index] && onRowOpen(rows[index].original)),
    onToggle: selectable ? (index) => rows[index]?.toggleSelected() : undefined,
    onEscape: onClearSelection,
  });
  const { currentIndex } = keyboard;
  const virtualizer = useVirtualRows({ rows, scrollRef, currentIndex });
  const items = virtualizer.getVirtualItems();
  const nearEnd = onNearEnd !== undefined && (items.at(-1)?.index ?? 0) >= rows.length - AHEAD;
  useEffect(() => {
    if (nearEnd) onNearEnd();
  }, [nearEnd, onNearEnd]);

  let end = ROW_HEIGHT;
  return (
    <tbody ref={bodyRef} onKeyDown={keyboard.onKeyDown} onFocus={keyboard.onFocus}>
      {items.map((item) => {
        const row = rows[item.index];
        if (!row) return null;
        const gap = item.start - end;
        end = item.end;
        return (
          <Fragment key={row.id}>
            <RowGap height={gap} columnCount={columnCount} />
            <TableRow<Row>
              row={row}
              index={item.index}
              current={item.index === currentIndex}
              selectable={selectable}
              name={rowName(row.original)}
              onOpen={onRowOpen}
              actions={rowActions?.(row.original)}
              FlexRender={table.FlexRender}
            />
          </Fragment>
        );
      })}
      <RowGap height={virtualizer.getTotalSize() + ROW_HEIGHT - end} columnCount={columnCount} />
    </tbody>
  );
}
