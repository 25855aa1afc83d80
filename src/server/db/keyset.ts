import { type AnyColumn, and, asc, desc, eq, gt, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { AppError } from '../lib/errors';

export type SortKey = {
  column: AnyColumn | SQL;
  nullable?: boolean;
  /** The sort value of a row, when it is no field of the row. */
  sortValue?: (row: never) => string | number | null;
};

/** Reads an opaque cursor: `[value of the sort column, id]`. */
export function decodeCursor(cursor: string): [string | number | boolean | null, string] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value) && value.length === 2 && typeof value[1] === 'string' && typeof value[0] !== 'object')
      return value as [string, string];
    if (Array.isArray(value) && value.length === 2 && typeof value[1] === 'string' && value[0] === null)
      return [null, value[1]];
  } catch {
    // Falls through to the error below.
  }
  throw new AppError('malformed', 'The cursor is not from this list. Start again without a cursor.', {
    errors: [{ field: 'cursor', message: 'Use next_cursor of the previous page, unchanged.' }],
  });
}

/** The cursor that continues after a row. */
export function encodeCursor(value: string | number | boolean | null, id: string): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url');
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
  const column = key.column;
  const order = [
    descending ? sql`${column} desc nulls last` : sql`${column} asc nulls last`,
    descending ? desc(id) : asc(id),
  ];
  if (!cursor) return { order, after: undefined };
  const [value, lastId] = decodeCursor(cursor);
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
