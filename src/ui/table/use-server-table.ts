'use client';
import { useMemo, useRef } from 'react';
import { type Column, formatSort, parseSort } from './column';
import { useColumnLayout } from './use-column-layout';

type Options<Row extends object> = {
  tableId: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  sort: string | undefined;
  onSortChange: ((sort: string) => void) | undefined;
  selection: ReadonlySet<string> | undefined;
  onSelectionChange: ((selection: ReadonlySet<string>) => void) | undefined;
};

export type TableItem<Row> = { id: string; row: Row };

export type ServerTable<Row> = {
  /** The columns that are shown. */
  columns: readonly Column<Row>[];
  items: readonly TableItem<Row>[];
  /** Direction of the column that the server sorted by. */
  sortedOf: (column: Column<Row>) => false | 'asc' | 'desc';
  /** Sorts by the column; the other way when it is sorted by already. */
  sortBy: (column: Column<Row>) => void;
  /** Undefined where rows cannot be selected. */
  selection: ReadonlySet<string> | undefined;
  allSelected: boolean;
  selectAll: (checked: boolean) => void;
  /** `extend`: all rows from the last one that was selected so. */
  select: (index: number, checked: boolean, extend?: boolean) => void;
};

/** The table model over rows that the server has sorted, filtered and cut into pages. */
export function useServerTable<Row extends object>(options: Options<Row>) {
  const { columns, rows, rowId, sort, selection } = options;
  const layout = useColumnLayout(options.tableId, columns);
  const items = useMemo(() => rows.map((row) => ({ id: rowId(row), row })), [rows, rowId]);
  const anchor = useRef<string | null>(null);
  const sorted = sort ? parseSort(sort) : null;

  const change = (first: number, last: number, checked: boolean) => {
    // Rows that are not loaded stay as they are.
    const next = new Set(selection);
    for (const { id } of items.slice(first, last + 1)) {
      if (checked) next.add(id);
      else next.delete(id);
    }
    options.onSelectionChange?.(next);
  };
  const table: ServerTable<Row> = {
    columns: layout.shown,
    items,
    sortedOf: ({ id }) => (sorted?.id === id ? (sorted.desc ? 'desc' : 'asc') : false),
    sortBy: ({ id, sortFirst }) =>
      options.onSortChange?.(formatSort({ id, desc: sorted?.id === id ? !sorted.desc : sortFirst === 'desc' })),
    selection,
    allSelected: selection !== undefined && items.length > 0 && items.every(({ id }) => selection.has(id)),
    selectAll: (checked) => change(0, items.length - 1, checked),
    select: (index, checked, extend = false) => {
      const from = extend ? items.findIndex(({ id }) => id === anchor.current) : -1;
      change(from < 0 ? index : Math.min(from, index), Math.max(from, index), checked);
      anchor.current = items[index]?.id ?? null;
    },
  };
  return { table, layout };
}
