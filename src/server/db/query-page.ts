import type { AnyColumn, SQL } from 'drizzle-orm';
import type { Page } from '@/domain/list';
import { findPgError } from '../lib/pg-errors';
import { createCursorError, encodeCursor, keyset, type SortKey } from './keyset';

/** What a list can be sorted by: the field's name in the answer, its column, and in which property of a row it stands. */
export type SortKeys = Record<string, SortKey>;

type Paging = { after: SQL | undefined; order: SQL[]; limit: number };

type List = { sorts: SortKeys; sort: string; id: AnyColumn | SQL };
type Query = { limit: number; cursor?: string | undefined; sort?: string | undefined };

/** A text in a cursor that was tampered with may be no address, id or the like; the database refuses it. */
export async function withCursorErrors<T>(cursor: string | undefined, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!cursor || !findPgError(cause)?.code.startsWith('22')) throw cause;
    throw createCursorError(cause);
  }
}

/** In which order a list is read, and the condition that continues after a cursor. */
export function buildOrder(input: Omit<Query, 'limit'>, list: List) {
  const sort = input.sort ?? list.sort;
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  const key = list.sorts[field];
  if (!key) throw new Error(`expected a sort key for ${field}`);
  return { field, key, ...keyset(key, list.id, descending, input.cursor) };
}

/**
 * Runs a list's two queries side by side: one page of rows and the number of all matches. `build` gets the condition
 * that continues after the cursor, the order and the limit. `list.sort` is the field that sorts when none is asked for.
 */
export async function queryPage<T extends { id: string }>(
  input: Query,
  list: List,
  build: (paging: Paging) => { rows: PromiseLike<T[]>; total: PromiseLike<number> },
): Promise<Page<T>> {
  const { field, key, after, order } = buildOrder(input, list);
  const { rows, total } = build({ after, order, limit: input.limit + 1 });
  const [found, count] = await withCursorErrors(input.cursor, Promise.all([rows, total]));
  const items = found.slice(0, input.limit);
  const last = items.at(-1);
  // Ids sort by creation: a list that is sorted by creation continues after the id alone.
  const sortValue = (row: T) =>
    key.sortValue
      ? key.sortValue(row as never)
      : key.column === list.id
        ? row.id
        : ((row as Record<string, unknown>)[field] as string | number | boolean | null);
  return {
    items,
    next_cursor: found.length > input.limit && last ? encodeCursor(sortValue(last), last.id) : null,
    total: count,
  };
}
