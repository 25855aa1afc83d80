'use client';
import { useT } from '@/lib/i18n/use-t';
import { Checkbox } from '../checkbox';
import { HeaderCell } from './header-cell';
import type { Resizing } from './use-column-layout';
import type { ServerTable } from './use-server-table';

/** Header row; stays at the top while the rows scroll. */
export function TableHead<Row extends object>({
  table,
  actions,
  resizing,
}: {
  table: ServerTable<Row>;
  actions: boolean;
  resizing: Resizing;
}) {
  const t = useT();
  const { columns, selection, allSelected } = table;
  const selectable = selection !== undefined;
  return (
    <thead className="sticky top-0 z-2">
      <tr className="h-row">
        {selectable && (
          <th scope="col" className="sticky left-0 z-1 w-9 border-b bg-surface px-2.5 text-left">
            <Checkbox
              aria-label={t('Select all loaded rows')}
              className="align-middle"
              checked={allSelected}
              indeterminate={selection.size > 0 && !allSelected}
              onCheckedChange={table.selectAll}
            />
          </th>
        )}
        {columns.map((column, index) => (
          <HeaderCell
            key={column.id}
            id={column.id}
            header={column.header}
            align={column.align ?? 'start'}
            sticky={index > 0 ? undefined : selectable ? 'left-9' : 'left-0'}
            sorted={table.sortedOf(column)}
            onSort={column.sortable ? () => table.sortBy(column) : undefined}
            last={index === columns.length - 1}
            resizing={resizing}
          />
        ))}
        {actions && (
          <th scope="col" className="sticky right-0 border-b bg-surface">
            <span className="sr-only">{t('Actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
