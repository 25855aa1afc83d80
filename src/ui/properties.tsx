import clsx from 'clsx';
import { Fragment, type ReactNode } from 'react';
import { Missing } from './values';

export type Property = { label: string; value: ReactNode; hint?: string };

/** Names and values of one thing. Values that are null, undefined or empty are shown as a dash. */
export function Properties({ items, columns = 1 }: { items: readonly Property[]; columns?: 1 | 2 }) {
  return (
    <dl
      className={clsx(
        'grid grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] gap-x-4',
        columns === 2 && 'lg:grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)_minmax(7rem,max-content)_minmax(0,1fr)]',
      )}
    >
      {items.map(({ label, value, hint }) => (
        <Fragment key={label}>
          <dt className="py-1.5 text-muted">{label}</dt>
          <dd className="min-w-0 py-1.5 [overflow-wrap:anywhere]">
            {value === null || value === undefined || value === '' ? <Missing /> : value}
            {hint && <div className="text-sm text-faint">{hint}</div>}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
