import {
  type AnyColumn,
  and,
  asc,
  Column,
  desc,
  eq,
  gt,
  is,
  isNotNull,
  isNull,
  lt,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { Time } from '@/domain/time';
import { AppError } from '../lib/errors';

/** What a list is sorted by. */
export type SortType = 'text' | 'number' | 'boolean' | 'time';

export type SortKey = {
  column: AnyColumn | SQL;
  /** Of an expression that is no text: a column knows its own. */
  type?: SortType;
  nullable?: boolean;
  /** The sort value of a row, when it is no field of the row. */
  sortValue?: (row: never) => string | number | null;
};

/** The refusal of a cursor that the list has not given out for this order. */
export const createCursorError = (cause?: unknown): AppError =>
  new AppError('malformed', 'The cursor is not from this list. Start again without a cursor.', {
    cause,
    errors: [{ field: 'cursor', message: 'Use next_cursor of the previous page, unchanged.' }],
  });

const isOfType = (value: unknown, type: SortType): value is string | number | boolean =>
  type === 'text'
    ? typeof value === 'string'
    : type === 'time'
      ? Time.safeParse(value).success
      : type === 'number'
        ? Number.isFinite(value)
        : typeof value === 'boolean';

/**
 * Reads an opaque cursor: `[value of the sort column, id]`.
 * @throws AppError `malformed` for what is no value of that type
 */
export function decodeCursor(
  cursor: string,
  type: SortType,
  nullable = false,
): [string | number | boolean | null, string] {
  try {
    const pair: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(pair) && pair.length === 2 && typeof pair[1] === 'string') {
      if (isOfType(pair[0], type) || (nullable && pair[0] === null)) return pair as [string, string];
    }
  } catch {
    // Falls through to the error below.
  }
  throw createCursorError();
}

/** The cursor that continues after a row. */
export function encodeCursor(value: string | number | boolean | null, id: string): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url');
}

const TYPES: Readonly<Record<string, SortType>> = { number: 'number', boolean: 'boolean' };

function getSortType({ column, type }: SortKey): SortType {
  if (!is(column, Column)) return type ?? 'text';
  return column.getSQLType() === 'timestamp with time zone' ? 'time' : (TYPES[column.dataType] ?? 'text');
}

/**
 * Keyset paging: constant time at any depth and stable while rows come and go. Nulls sort last in both directions;
 * ties are broken by id. Returns the ORDER BY and the WHERE for the rows after `cursor`.
 */
export function keyset(
  key: SortKey,
  id: AnyColumn | SQL,
  descending: boolean,
  cursor: string | undefined,
): { order: SQL[]; after: SQL | undefined } {
  // A list that is sorted by its ids has them as text, whatever they are.
  const type = key.column === id ? 'text' : getSortType(key);
  // Rows of one transaction have the same microsecond; a cursor has only the milliseconds that a row shows.
  const column =
    type === 'time' && is(key.column, Column) ? sql`date_trunc('milliseconds', ${key.column})` : key.column;
  const order = [
    descending ? sql`${column} desc nulls last` : sql`${column} asc nulls last`,
    descending ? desc(id) : asc(id),
  ];
  if (!cursor) return { order, after: undefined };
  const [value, lastId] = decodeCursor(cursor, type, key.nullable);
  const beyond = descending ? lt : gt;
  if (value === null) return { order, after: and(isNull(column as AnyColumn), beyond(id as AnyColumn, lastId)) };
  const rest = key.nullable
    ? or(beyond(column as AnyColumn, value), isNull(column as AnyColumn))
    : beyond(column as AnyColumn, value);
  return {
    order,
    after: or(
      rest,
      and(isNotNull(column as AnyColumn), eq(column as AnyColumn, value), beyond(id as AnyColumn, lastId)),
    ),
  };
}
