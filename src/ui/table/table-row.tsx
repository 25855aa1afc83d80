'use client';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Checkbox } from '../checkbox';
import type { Column } from './column';
import type { TableItem } from './use-server-table';
import { isPlainPress } from './virtual-rows';

type Props<Row extends object> = {
  item: TableItem<Row>;
  columns: readonly Column<Row>[];
  /** Place in the whole list, from 0. */
  index: number;
  current: boolean;
  /** Undefined where rows cannot be selected. */
  selected: boolean | undefined;
  /** `extend`: with the rows up to the last one that was selected. */
  onSelect: (checked: boolean, extend: boolean) => void;
  /** What the row is called, for its checkbox. */
  name: string;
  onOpen: ((row: Row) => void) | undefined;
  actions: ReactNode;
};

/** One row. A press outside its links and buttons opens it. */
export function TableRow<Row extends object>({
  item: { id, row },
  columns,
  index,
  current,
  selected,
  onSelect,
  name,
  onOpen,
  actions,
}: Props<Row>) {
  const t = useT();
  const selectable = selected !== undefined;
  const cell = clsx(
    'h-row truncate border-b px-2.5 group-last/row:border-b-0',
    // Opaque, so that sticky cells hide what scrolls under them.
    selected ? 'bg-accent-soft' : 'bg-surface group-hover/row:bg-surface-2',
  );
  return (
    <tr
      data-row-id={id}
      aria-rowindex={index + 2}
      aria-selected={selected}
      tabIndex={current ? 0 : -1}
      onClick={onOpen && ((event) => isPlainPress(event) && onOpen(row))}
      className="group/row outline-none"
    >
      {selectable && (
        <td className={clsx(cell, 'row-edge sticky left-0 z-1')}>
          <Checkbox
            aria-label={t('Select {name}', { name })}
            className="align-middle"
            checked={selected}
            onCheckedChange={(checked, { shiftKey }) => onSelect(checked, shiftKey)}
          />
        </td>
      )}
      {columns.map((column, place) => (
        <td
          key={column.id}
          className={clsx(
            cell,
            column.align === 'end' && 'text-right tabular-nums',
            place === 0 && 'sticky z-1',
            place === 0 && (selectable ? 'left-9' : 'row-edge left-0'),
          )}
        >
          {column.cell(row)}
        </td>
      ))}
      {actions !== undefined && <td className={clsx(cell, 'sticky right-0 z-1 !px-1 text-right')}>{actions}</td>}
    </tr>
  );
}
