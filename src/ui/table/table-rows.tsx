'use client';
import { Fragment, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { TableRow } from './table-row';
import { useRowKeyboard } from './use-row-keyboard';
import type { ServerTable } from './use-server-table';
import { getPageSize, RowGap, useVirtualRows } from './virtual-rows';

/** How many rows before the end the next page is asked for. */
const AHEAD = 30;

type Props<Row extends object> = {
  table: ServerTable<Row>;
  scrollRef: RefObject<HTMLElement | null>;
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
  columnCount,
  rowName,
  onRowOpen,
  onClearSelection,
  rowActions,
  onNearEnd,
}: Props<Row>) {
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const { items, selection } = table;
  const selectable = selection !== undefined;
  const isSelected = (index: number) => selection?.has(items[index]?.id ?? '') ?? false;
  const keyboard = useRowKeyboard({
    ids: items.map((item) => item.id),
    bodyRef,
    reveal: (index) => reveal(index),
    pageSize: () => getPageSize(scrollRef.current),
    onOpen: onRowOpen && ((index) => items[index] && onRowOpen(items[index].row)),
    onToggle: selectable ? (index) => table.select(index, !isSelected(index)) : undefined,
    onEscape: onClearSelection,
  });
  const { currentIndex } = keyboard;
  const { indexes, reveal } = useVirtualRows({ count: items.length, scrollRef, currentIndex });
  const nearEnd = onNearEnd !== undefined && (indexes.at(-1) ?? 0) >= items.length - AHEAD;
  useEffect(() => {
    if (nearEnd) onNearEnd();
  }, [nearEnd, onNearEnd]);

  let next = 0;
  return (
    <tbody ref={bodyRef} onKeyDown={keyboard.onKeyDown} onFocus={keyboard.onFocus}>
      {indexes.map((index) => {
        const item = items[index];
        if (!item) return null;
        const gap = index - next;
        next = index + 1;
        return (
          <Fragment key={item.id}>
            <RowGap rows={gap} columnCount={columnCount} />
            <TableRow<Row>
              item={item}
              columns={table.columns}
              index={index}
              current={index === currentIndex}
              selected={selectable ? isSelected(index) : undefined}
              onSelect={(checked, extend) => table.select(index, checked, extend)}
              name={rowName(item.row)}
              onOpen={onRowOpen}
              actions={rowActions?.(item.row)}
            />
          </Fragment>
        );
      })}
      <RowGap rows={items.length - next} columnCount={columnCount} />
    </tbody>
  );
}
