'use client';
import clsx from 'clsx';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { ColumnResizer } from './column-resizer';
import type { Resizing } from './use-column-layout';

type Props = {
  id: string;
  header: string;
  align: 'start' | 'end';
  /** Stays in view while the others scroll sideways, that far from the edge. */
  sticky?: 'left-0' | 'left-9';
  sorted?: false | 'asc' | 'desc';
  /** Undefined where the column cannot be sorted by. */
  onSort?: () => void;
  /** Whether the table ends here. */
  last: boolean;
  resizing: Resizing;
};

/** Long titles take two lines, which still fit the height of a row. */
const TITLE = 'line-clamp-2 min-w-0 leading-3.5 text-ellipsis [overflow-wrap:normal]';

/** The title of a column, which sorts by it, and its edge. */
export function HeaderCell({ id, header, align, sticky, sorted = false, onSort, last, resizing }: Props) {
  const end = align === 'end';
  return (
    <th
      scope="col"
      // Else the name of its edge were part of its name.
      aria-label={header}
      aria-sort={sorted ? (sorted === 'asc' ? 'ascending' : 'descending') : undefined}
      className={clsx(
        'border-b bg-surface px-2.5 text-sm font-medium text-muted',
        end ? 'text-right' : 'text-left',
        sticky ? `sticky z-1 ${sticky}` : 'relative',
      )}
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={clsx(
            'group -mx-1 inline-flex min-h-6 max-w-[calc(100%+0.5rem)] text-left items-center gap-1 rounded-sm px-1 hover:text-text',
            end && 'flex-row-reverse',
          )}
        >
          <span className={TITLE}>{header}</span>
          <SortMark sorted={sorted} />
        </button>
      ) : (
        <span className={TITLE}>{header}</span>
      )}
      <ColumnResizer
        header={header}
        width={resizing.widthOf(id)}
        tabStop={resizing.tabStop === id}
        onFocus={() => resizing.setTabStop(id)}
        last={last}
        onResize={(width, done) => resizing.resize(id, width, done)}
      />
    </th>
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
