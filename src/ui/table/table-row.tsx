'use client';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { PlainCheckbox } from '../plain-checkbox';
import type { ServerTable } from './use-server-table';
import { isPlainPress } from './virtual-rows';

type Props<Row extends object> = {
  row: ReturnType<ServerTable<Row>['getRowModel']>['rows'][number];
  /** Place in the whole list, from 0. */
  index: number;
  current: boolean;
  selectable: boolean;
  /** What the row is called, for its checkbox. */
  name: string;
  onOpen: ((row: Row) => void) | undefined;
  actions: ReactNode;
  FlexRender: ServerTable<Row>['FlexRender'];
};

/** One row. A press outside its links and buttons opens it. */
export function TableRow<Row extends object>({
  row,
  index,
  current,
  selectable,
  name,
  onOpen,
  actions,
  FlexRender,
}: Props<Row>) {
  const t = useT();
  const selected = selectable && row.getIsSelected();
  const cell = clsx(
    'h-row truncate border-b px-2.5 group-last/row:border-b-0',
    // Opaque, so that sticky cells hide what scrolls under them.
    selected ? 'bg-accent-soft' : 'bg-surface group-hover/row:bg-surface-2',
  );
  return (
    <tr
      data-row-id={row.id}
      aria-rowindex={index + 2}
      aria-selected={selectable ? selected : undefined}
      tabIndex={current ? 0 : -1}
      onClick={onOpen && ((event) => isPlainPress(event) && onOpen(row.original))}
      className="group/row outline-none"
    >
      {selectable && (
        <td className={clsx(cell, 'row-edge sticky left-0 z-1')}>
          <PlainCheckbox
            aria-label={t('Select {name}', { name })}
            className="align-middle"
            checked={selected}
            onCheckedChange={(checked, { shiftKey }) =>
              row.getToggleSelectedHandler()({ target: { checked }, shiftKey })
            }
          />
        </td>
      )}
      {row.getVisibleCells().map((item, place) => (
        <td
          key={item.id}
          className={clsx(
            cell,
            item.column.columnDef.meta?.align === 'end' && 'text-right tabular-nums',
            place === 0 && 'sticky z-1',
            place === 0 && (selectable ? 'left-9' : 'row-edge left-0'),
          )}
        >
          <FlexRender cell={item} />
        </td>
      ))}
      {actions !== undefined && <td className={clsx(cell, 'sticky right-0 z-1 !px-1 text-right')}>{actions}</td>}
    </tr>
  );
}
