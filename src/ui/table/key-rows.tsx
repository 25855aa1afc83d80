'use client';
import { type ReactNode, useRef } from 'react';
import { useRowKeyboard } from './use-row-keyboard';

/** A page of rows for Page Up and Page Down, in a table that does not scroll by itself. */
const PAGE = 10;

type Props<Row> = {
  rows: readonly Row[];
  rowId: (row: Row, index: number) => string;
  className?: string;
  /** The cells of a row. */
  children: (row: Row) => ReactNode;
};

/** The body of a short table whose rows have links or menus: walked by key as a list is, and Enter opens the first link. */
export function KeyRows<Row>({ rows, rowId, className, children }: Props<Row>) {
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const ids = rows.map(rowId);
  const { currentIndex, onFocus, onKeyDown } = useRowKeyboard({
    ids,
    bodyRef,
    reveal: (index) => bodyRef.current?.rows[index]?.scrollIntoView({ block: 'nearest' }),
    pageSize: () => PAGE,
  });
  return (
    <tbody ref={bodyRef} onFocus={onFocus} onKeyDown={onKeyDown}>
      {rows.map((row, index) => (
        <tr
          key={ids[index]}
          data-row-id={ids[index]}
          tabIndex={index === currentIndex ? 0 : -1}
          className={`-outline-offset-2 ${className ?? ''}`}
        >
          {children(row)}
        </tr>
      ))}
    </tbody>
  );
}
