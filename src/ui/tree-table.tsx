'use client';
import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode, useRef } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { ProgressLine, Spinner } from './loading';
import type { Column } from './table/column';
import { ACTIONS_WIDTH, layOut } from './table/column-layout';
import { HeaderCell } from './table/header-cell';
import { ColumnMenu } from './table/table-footer';
import { useColumnLayout } from './table/use-column-layout';
import { useRowKeyboard } from './table/use-row-keyboard';
import { getPageSize, isPlainPress, RowGap, useVirtualRows } from './table/virtual-rows';

export type TreeRow<Item> = {
  id: string;
  item: Item;
  /** 1 for the outermost. */
  level: number;
  /** Null for what has nothing below it. */
  expanded: boolean | null;
  /** Its children are being read. */
  loading?: boolean;
  /** Place among its siblings, from 1, and their number. */
  position: number;
  siblings: number;
};

type Props<Item> = {
  /** Identity of the table in this browser; the choice of columns and their widths are kept under it. */
  id: string;
  /** Accessible name. */
  label: string;
  /** A constant; the first column names the row and carries the indentation. */
  columns: readonly Column<Item>[];
  /** Every visible row, in order: children follow their parent. */
  rows: readonly TreeRow<Item>[];
  onToggle: (row: TreeRow<Item>) => void;
  onOpen?: (row: TreeRow<Item>) => void;
  /** A menu at the end of the row. */
  actions?: (item: Item) => ReactNode;
  /** Width of `actions` in pixels; by default one menu. */
  actionsWidth?: number;
  /** Newer rows are on their way. */
  refreshing?: boolean;
  /** Beside the menu of columns. */
  footer?: ReactNode;
};

/**
 * Nested rows with columns. Only visible rows are in the document. Arrow right opens or goes to the first child, arrow left
 * closes or goes to the parent, Enter opens the row's page.
 */
export function TreeTable<Item>(props: Props<Item>) {
  const { label, rows, onToggle, onOpen, actions, refreshing, footer } = props;
  const t = useT();
  const layout = useColumnLayout(props.id, props.columns);
  const columns = layout.shown;
  const scrollRef = useRef<HTMLDivElement>(null);
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const keyboard = useRowKeyboard({
    ids: rows.map((row) => row.id),
    bodyRef,
    reveal: (index) => reveal(index),
    pageSize: () => getPageSize(scrollRef.current),
    onOpen: onOpen && ((index) => rows[index] && onOpen(rows[index])),
    onKey: (key, index, moveTo) => {
      const row = rows[index];
      if (!row) return undefined;
      if (key === 'ArrowRight' && row.expanded === false) return () => onToggle(row);
      if (key === 'ArrowRight' && row.expanded) return () => moveTo(index + 1);
      if (key === 'ArrowLeft' && row.expanded) return () => onToggle(row);
      if (key === 'ArrowLeft') return () => moveTo(parentIndex(rows, index));
      return undefined;
    },
  });
  const { currentIndex } = keyboard;
  const { indexes, reveal } = useVirtualRows({ count: rows.length, scrollRef, currentIndex });
  const columnCount = columns.length + (actions ? 1 : 0);
  const { widths, least, grows } = layOut(columns, layout.widths, { extra: actions ? ACTIONS_WIDTH : 0, most: '52vw' });
  let next = 0;
  return (
    <section
      aria-label={label}
      className="relative flex min-h-80 min-w-0 flex-1 basis-0 flex-col overflow-hidden rounded-lg border bg-surface"
    >
      {refreshing && <ProgressLine />}
      <div ref={scrollRef} className="min-h-0 flex-1 overflow-auto overscroll-contain">
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows nest and take the focus is a treegrid.
          role="treegrid"
          aria-label={label}
          aria-rowcount={rows.length + 1}
          aria-busy={refreshing}
          className="table-fixed border-separate border-spacing-0"
          style={{ width: grows ? '100%' : least, minWidth: least }}
        >
          <colgroup>
            {columns.map((column, index) => (
              <col key={column.id} style={{ width: widths[index] }} />
            ))}
            {actions && <col style={{ width: ACTIONS_WIDTH }} />}
          </colgroup>
          <thead className="sticky top-0 z-2">
            <tr className="h-row">
              {columns.map((column, index) => (
                <HeaderCell
                  key={column.id}
                  id={column.id}
                  header={column.header}
                  align={column.align ?? 'start'}
                  sticky={index === 0 ? 'left-0' : undefined}
                  last={index === columns.length - 1}
                  resizing={layout.resizing}
                />
              ))}
              {actions && (
                <th scope="col" className="sticky right-0 border-b bg-surface">
                  <span className="sr-only">{t('Actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody ref={bodyRef} onKeyDown={keyboard.onKeyDown} onFocus={keyboard.onFocus}>
            {indexes.map((index) => {
              const row = rows[index];
              if (!row) return null;
              const gap = index - next;
              next = index + 1;
              return (
                <Fragment key={row.id}>
                  <RowGap rows={gap} columnCount={columnCount} />
                  <Row
                    row={row}
                    index={index}
                    current={index === currentIndex}
                    columns={columns}
                    onToggle={onToggle}
                    onOpen={onOpen}
                    actions={actions}
                  />
                </Fragment>
              );
            })}
            <RowGap rows={rows.length - next} columnCount={columnCount} />
          </tbody>
        </table>
      </div>
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-t px-2.5 py-1 text-sm text-muted">
        {footer}
        <ColumnMenu entries={layout.entries} />
      </div>
    </section>
  );
}

type RowProps<Item> = Pick<Props<Item>, 'columns' | 'onToggle' | 'onOpen' | 'actions'> & {
  row: TreeRow<Item>;
  index: number;
  current: boolean;
};

function Row<Item>({ row, index, current, columns, onToggle, onOpen, actions }: RowProps<Item>) {
  const cell = 'h-row truncate border-b bg-surface px-2.5 group-hover/row:bg-surface-2 group-last/row:border-b-0';
  return (
    <tr
      data-row-id={row.id}
      aria-rowindex={index + 2}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.expanded ?? undefined}
      tabIndex={current ? 0 : -1}
      onClick={(event) => {
        if (!isPlainPress(event)) return;
        if (onOpen) onOpen(row);
        else if (row.expanded !== null) onToggle(row);
      }}
      className="group/row outline-none"
    >
      {columns.map((column, place) => (
        <td
          key={column.id}
          className={clsx(
            cell,
            column.align === 'end' && 'text-right tabular-nums',
            place === 0 && 'row-edge sticky left-0 z-1',
          )}
        >
          {place === 0 ? (
            <span
              className="flex min-w-0 items-center gap-1"
              style={{ paddingInlineStart: `${Math.min(row.level - 1, 8) * 16}px` }}
            >
              <Toggle row={row} onToggle={onToggle} />
              {column.cell(row.item)}
            </span>
          ) : (
            column.cell(row.item)
          )}
        </td>
      ))}
      {actions && <td className={clsx(cell, 'sticky right-0 z-1 !px-1 text-right')}>{actions(row.item)}</td>}
    </tr>
  );
}

/** For the pointer; the keyboard has the arrows of the row. */
function Toggle<Item>({ row, onToggle }: { row: TreeRow<Item>; onToggle: (row: TreeRow<Item>) => void }) {
  const t = useT();
  if (row.expanded === null) return <span className="w-6 shrink-0" />;
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={row.expanded ? t('Collapse') : t('Expand')}
      onClick={() => onToggle(row)}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-faint hover:bg-surface-3 hover:text-text"
    >
      {row.loading ? (
        <Spinner size={14} />
      ) : (
        <ChevronRight
          size={14}
          aria-hidden
          className={clsx('transition-transform duration-75', row.expanded && 'rotate-90')}
        />
      )}
    </button>
  );
}

/** The row above with a smaller level; the row itself when there is none. */
function parentIndex<Item>(rows: readonly TreeRow<Item>[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let above = index - 1; above >= 0; above--) {
    if ((rows[above]?.level ?? level) < level) return above;
  }
  return index;
}
