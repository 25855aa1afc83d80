import type { Page } from '@/domain/list';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import { createCursorError, decodeCursor, encodeCursor, type SortType } from '../../../db/keyset';
import { any, ch, join, number, type Part, text, time } from './statement';

/** What a list can be sorted by. */
export type SortColumn = { column: Part; type: Exclude<SortType, 'boolean'> | 'address'; nullable?: boolean };

/** By what rows differ that are equal otherwise: columns, and how an id of the list names their values. */
export type IdColumns = { columns: readonly Part[]; parse: (id: string) => readonly Part[] };

function toValue({ type }: SortColumn, value: string | number | boolean): Part {
  switch (type) {
    case 'time':
      return time(String(value));
    case 'number':
      return number(Number(value));
    case 'address': {
      const address = parseIp(String(value));
      if (!address) throw createCursorError();
      return ch`toIPv6(${text(formatIp(address))})`;
    }
    case 'text':
      return text(String(value));
  }
}

const tuple = (parts: readonly Part[]): Part => ch`(${join(parts, ', ')})`;

/** Keyset paging as in `db/keyset.ts`: nulls sort last in both directions; ties are broken by id. */
export function keyset(
  key: SortColumn,
  id: IdColumns,
  descending: boolean,
  cursor: string | undefined,
): { order: Part; after: Part | undefined } {
  const direction = descending ? ch` desc` : ch` asc`;
  const order = join(
    [ch`${key.column}${direction} nulls last`, ...id.columns.map((column) => ch`${column}${direction}`)],
    ', ',
  );
  if (!cursor) return { order, after: undefined };
  const [value, lastId] = decodeCursor(cursor, key.type === 'address' ? 'text' : key.type, key.nullable);
  let last: readonly Part[];
  try {
    last = id.parse(lastId);
  } catch (cause) {
    throw createCursorError(cause);
  }
  const beyond = descending ? ch`<` : ch`>`;
  const isLater = ch`${tuple(id.columns)} ${beyond} ${tuple(last)}`;
  if (value === null) return { order, after: ch`(isNull(${key.column}) and ${isLater})` };
  const at = toValue(key, value);
  return {
    order,
    after: any([
      ch`ifNull(${key.column} ${beyond} ${at}, false)`,
      ...(key.nullable ? [ch`isNull(${key.column})`] : []),
      ch`(ifNull(${key.column} = ${at}, false) and ${isLater})`,
    ]),
  };
}

type Query = { limit: number; cursor?: string | undefined; sort?: string | undefined };

type SortedList = { sorts: Readonly<Record<string, SortColumn>>; sort: string; id: IdColumns };

/** In which order a list is read, and the condition that continues after a cursor. */
export function buildOrder(input: Omit<Query, 'limit'>, list: SortedList) {
  const sort = input.sort ?? list.sort;
  const descending = sort.startsWith('-');
  const field = descending ? sort.slice(1) : sort;
  const key = list.sorts[field];
  if (!key) throw new Error(`expected a sort key for ${field}`);
  return { field, ...keyset(key, list.id, descending, input.cursor) };
}

/**
 * Reads one page and, beside it, the number of all matches. `build` gets the condition that continues after the cursor, the order and
 * the limit.
 */
export async function readPage<T extends { id: string }>(
  input: Query,
  list: SortedList,
  build: (paging: { after: Part | undefined; order: Part; limit: number }) => {
    rows: Promise<T[]>;
    total: Promise<number>;
  },
): Promise<Page<T>> {
  const { field, order, after } = buildOrder(input, list);
  const { rows, total } = build({ order, after, limit: input.limit + 1 });
  const [found, count] = await Promise.all([rows, total]);
  const items = found.slice(0, input.limit);
  const last = items.at(-1);
  const value = last && ((last as Record<string, unknown>)[field] as string | number | null);
  return {
    items,
    next_cursor: found.length > input.limit && last ? encodeCursor(value ?? null, last.id) : null,
    total: count,
  };
}
