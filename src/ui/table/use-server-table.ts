'use client';
import {
  type ColumnDef,
  columnVisibilityFeature,
  metaHelper,
  type ReactTable,
  type RowSelectionState,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo } from 'react';
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

export type ServerTable<Row extends object> = ReactTable<Features, Row>;

/** The table model over rows that the server has sorted, filtered and cut into pages. */
export function useServerTable<Row extends object>(options: Options<Row>) {
  const { columns, rows, rowId, sort, selection } = options;
  const layout = useColumnLayout(options.tableId, columns);
  const defs = useMemo(() => columns.map((column, index) => definition(column, index === 0)), [columns]);
  const sorting = useMemo(() => (sort ? [parseSort(sort)] : []), [sort]);
  const rowSelection = useMemo(() => {
    const state: RowSelectionState = {};
    for (const id of selection ?? []) state[id] = true;
    return state;
  }, [selection]);
  const table: ServerTable<Row> = useTable<Features, Row>({
    features,
    columns: defs,
    data: rows,
    getRowId: rowId,
    manualSorting: true,
    enableMultiSort: false,
    enableSortingRemoval: false,
    enableRowSelection: selection !== undefined,
    state: { sorting, columnVisibility: layout.visible, rowSelection },
    onSortingChange: (change) => {
      const [next] = typeof change === 'function' ? change(sorting) : change;
      if (next) options.onSortChange?.(formatSort(next));
    },
    onRowSelectionChange: (change) => {
      const next = typeof change === 'function' ? change(rowSelection) : change;
      options.onSelectionChange?.(new Set(Object.keys(next).filter((id) => next[id])));
    },
  });
  return { table, layout };
}

function definition<Row extends object>(column: Column<Row>, first: boolean): ColumnDef<Features, Row> {
  return {
    id: column.id,
    header: column.header,
    // An accessor makes the column sortable; the server does the sorting, so its value is never compared here.
    accessorFn: () => null,
    cell: ({ row }) => column.cell(row.original),
    enableSorting: column.sortable ?? false,
    sortDescFirst: column.sortFirst === 'desc',
    enableHiding: !first,
    meta: { align: column.align ?? 'start' },
  };
}

type Meta = { align: 'start' | 'end' };

/** What our tables use of the library; sorting, filtering and paging are done by the server. */
const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  rowSelectionFeature,
  columnMeta: metaHelper<Meta>(),
});

type Features = typeof features;
