'use client';
import clsx from 'clsx';
import { type ReactNode, useEffect, useRef } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from './button';
import { EmptyState } from './empty-state';
import { ErrorState, type Problem } from './error-state';
import { ProgressLine } from './loading';
import { type MenuEntry, RowActions } from './menu';
import { Notice } from './notice';
import type { Column } from './table/column';
import { ACTIONS_WIDTH, layOut, SELECT_WIDTH } from './table/column-layout';
import { type TableExport, TableFooter } from './table/table-footer';
import { TableHead } from './table/table-head';
import { TableRows } from './table/table-rows';
import { useServerTable } from './table/use-server-table';

type Props<Row extends object> = {
  /** Identity of the table in this browser; the choice of columns and their widths are kept under it. */
  id: string;
  /** Accessible name, mostly the title of the page. */
  label: string;
  noun: { one: string; many: string };
  /** Keep the array's identity: a constant, or useMemo by the translator. The first column names the row; it never hides, and stays in view when the others scroll sideways. */
  columns: readonly Column<Row>[];
  /** All rows loaded so far, in the server's order. Keep the array's identity while nothing changes (useMemo over pages). */
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** Matches on the server; undefined while unknown. */
  total: number | undefined;
  /** `name` or `-name`, as the list API takes it. */
  sort?: string;
  onSortChange?: (sort: string) => void;
  /** The first page is on its way. */
  loading: boolean;
  /** Rows are shown and newer ones, or the next page, are on their way. */
  refreshing?: boolean;
  error: Problem | null;
  onRetry?: () => void;
  /** Loads the next page; undefined when there is none. Called ahead of time while the user scrolls. */
  onLoadMore?: () => void;
  /** Identity of the query (sort, search, filters): when it changes the list starts at its top again. Default: the sort. */
  queryKey?: string;
  /** Whether a filter or search is active: an empty list then offers to clear it instead of showing `empty`. */
  filtered?: boolean;
  onClearFilters?: () => void;
  /** Shown when there is nothing at all; an `EmptyState` that names the next step. */
  empty: ReactNode;
  onRowOpen?: (row: Row) => void;
  rowActions?: (row: Row) => { name: string; entries: readonly MenuEntry[] };
  selection?: ReadonlySet<string>;
  onSelectionChange?: (selection: ReadonlySet<string>) => void;
  /** Buttons for the selected rows (size `sm`). */
  bulkActions?: ReactNode;
  /** From `useCsvExport`. */
  exporting?: TableExport;
  /** `fill`: takes the height its flex parent leaves. `auto`: as high as its rows, up to 70 % of the window. */
  height?: 'fill' | 'auto';
};

/**
 * A list that the server sorts, filters and cuts into pages. All of that state belongs to the caller (in the URL); the
 * table shows it. Only visible rows are in the document.
 */
export function DataTable<Row extends object>(props: Props<Row>) {
  const { columns, rows, total, loading, error, selection, rowActions, height = 'fill' } = props;
  const t = useT();
  const scrollRef = useRef<HTMLDivElement>(null);
  const { table, layout } = useServerTable({
    tableId: props.id,
    columns,
    rows,
    rowId: props.rowId,
    sort: props.sort,
    onSortChange: props.onSortChange,
    selection,
    onSelectionChange: props.onSelectionChange,
  });
  const query = props.queryKey ?? props.sort;
  useEffect(() => {
    if (query !== undefined) scrollRef.current?.scrollTo({ top: 0 });
  }, [query]);
  const selectable = selection !== undefined;
  const { shown } = layout;
  const columnCount = shown.length + (selectable ? 1 : 0) + (rowActions ? 1 : 0);
  const extra = (selectable ? SELECT_WIDTH : 0) + (rowActions ? ACTIONS_WIDTH : 0);
  const { widths, least, grows } = layOut(shown, layout.widths, { extra });
  const hasRows = rows.length > 0;
  const busy = loading || (props.refreshing ?? false);
  return (
    <section
      aria-label={props.label}
      className={clsx(
        'relative flex min-w-0 flex-col overflow-hidden rounded-lg border bg-surface',
        height === 'fill' && 'min-h-80 flex-1 basis-0',
      )}
    >
      {busy && hasRows && <ProgressLine />}
      {error && hasRows && <RefreshError problem={error} onRetry={props.onRetry} />}
      {hasRows || loading ? (
        <div
          // Not the element that says that there is nothing: for the browser it would have moved.
          key="rows"
          ref={scrollRef}
          className={clsx('min-h-0 overflow-auto overscroll-contain', height === 'fill' ? 'flex-1' : 'max-h-[70dvh]')}
        >
          <table
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid.
            role="grid"
            aria-label={props.label}
            aria-rowcount={total === undefined ? -1 : total + 1}
            aria-busy={busy}
            aria-multiselectable={selectable || undefined}
            className="table-fixed border-separate border-spacing-0"
            style={{ width: grows ? '100%' : least, minWidth: least }}
          >
            <colgroup>
              {selectable && <col style={{ width: SELECT_WIDTH }} />}
              {shown.map((column, index) => (
                <col key={column.id} style={{ width: widths[index] }} />
              ))}
              {rowActions && <col style={{ width: ACTIONS_WIDTH }} />}
            </colgroup>
            <TableHead<Row> table={table} actions={rowActions !== undefined} resizing={layout.resizing} />
            {hasRows ? (
              <TableRows<Row>
                table={table}
                scrollRef={scrollRef}
                columnCount={columnCount}
                rowName={(row) => String(columns[0]?.csv?.(row) ?? t('row'))}
                onRowOpen={props.onRowOpen}
                onClearSelection={selection?.size ? () => props.onSelectionChange?.(new Set()) : undefined}
                rowActions={rowActions && ((row) => <RowActions {...rowActions(row)} />)}
                onNearEnd={busy || error ? undefined : props.onLoadMore}
              />
            ) : (
              <TableSkeleton columnCount={columnCount} />
            )}
          </table>
        </div>
      ) : (
        <div
          key="nothing"
          className={clsx('flex flex-col justify-center', height === 'fill' && 'min-h-0 flex-1 overflow-y-auto')}
        >
          <Nothing {...props} />
        </div>
      )}
      {!(error && !hasRows) && (
        <TableFooter
          loaded={rows.length}
          total={total}
          noun={props.noun}
          loading={loading}
          selected={selection?.size ?? 0}
          onClearSelection={() => props.onSelectionChange?.(new Set())}
          bulkActions={props.bulkActions}
          exporting={props.exporting}
          columnEntries={layout.entries}
        />
      )}
    </section>
  );
}

function Nothing<Row extends object>({ error, onRetry, filtered, onClearFilters, noun, empty }: Props<Row>) {
  const t = useT();
  if (error) return <ErrorState problem={error} onRetry={onRetry} />;
  if (!filtered) return empty;
  return (
    <EmptyState
      title={t('No {noun} match', { noun: noun.many })}
      action={onClearFilters && <Button onClick={onClearFilters}>{t('Clear search and filters')}</Button>}
    >
      {t('No results for the current search and filters.')}
    </EmptyState>
  );
}

function RefreshError({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  const t = useT();
  return (
    <div className="border-b p-2">
      <Notice
        tone="danger"
        live
        title={t('This list may be out of date')}
        action={
          onRetry && (
            <Button size="sm" onClick={onRetry}>
              {t('Try again')}
            </Button>
          )
        }
      >
        {problem.detail ?? problem.title}
      </Notice>
    </div>
  );
}

const WIDTHS = ['w-3/5', 'w-2/5', 'w-1/2', 'w-1/3'];

/** Gray bars in place of the rows that are loading. */
function TableSkeleton({ columnCount, rows = 8 }: { columnCount: number; rows?: number }) {
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity.
        <tr key={row} className="h-row">
          {Array.from({ length: columnCount }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity.
            <td key={column} className="border-b px-2.5">
              <span
                className={`block h-2.5 animate-pulse rounded-sm bg-surface-3 ${WIDTHS[(row + column) % WIDTHS.length]}`}
              />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
