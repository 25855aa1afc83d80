'use client';
import clsx from 'clsx';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { Checkbox } from '../checkbox';
import type { ServerTable } from './use-server-table';

/** Header row; stays at the top while the rows scroll. */
export function TableHead<Row extends object>({
  table,
  selectable,
  actions,
}: {
  table: ServerTable<Row>;
  selectable: boolean;
  actions: boolean;
}) {
  const t = useT();
  return (
    <thead className="sticky top-0 z-2">
      <tr className="h-row">
        {selectable && (
          <th scope="col" className="sticky left-0 z-1 w-9 border-b bg-surface px-2.5 text-left">
            <Checkbox
              aria-label={t('Select all loaded rows')}
              className="align-middle"
              checked={table.getIsAllRowsSelected()}
              indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
              onCheckedChange={(checked) => table.toggleAllRowsSelected(checked)}
            />
          </th>
        )}
        {table.getFlatHeaders().map((header, index) => {
          const { column } = header;
          const end = column.columnDef.meta?.align === 'end';
          const sorted = column.getIsSorted();
          return (
            <th
              key={header.id}
              scope="col"
              aria-sort={sorted ? (sorted === 'asc' ? 'ascending' : 'descending') : undefined}
              className={clsx(
                'border-b bg-surface px-2.5 text-sm font-medium text-muted',
                end ? 'text-right' : 'text-left',
                index === 0 && 'sticky z-1',
                index === 0 && (selectable ? 'left-9' : 'left-0'),
              )}
            >
              {column.getCanSort() ? (
                <button
                  type="button"
                  onClick={() => column.toggleSorting()}
                  className={clsx(
                    'group -mx-1 inline-flex max-w-full items-center gap-1 rounded-sm px-1 py-0.5 hover:text-text',
                    end && 'flex-row-reverse',
                  )}
                >
                  <span className="truncate">{String(column.columnDef.header)}</span>
                  <SortMark sorted={sorted} />
                </button>
              ) : (
                <span className="block truncate">{String(column.columnDef.header)}</span>
              )}
            </th>
          );
        })}
        {actions && (
          <th scope="col" className="sticky right-0 border-b bg-surface">
            <span className="sr-only">{t('Actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function SortMark({ sorted }: { sorted: false | 'asc' | 'desc' }) {
  const Icon = sorted === 'asc' ? ArrowUp : sorted === 'desc' ? ArrowDown : ChevronsUpDown;
  return (
    <Icon
      size={12}
      aria-hidden
      className={clsx('shrink-0', !sorted && 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100')}
    />
  );
}
