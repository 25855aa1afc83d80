import { type AnyColumn, eq, getTableColumns, ilike, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { SortKey } from './keyset';

/** A LIKE pattern for text that contains what was typed; the characters with a meaning to LIKE lose it. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** What the schema of an answer names is selected, sorted and filtered by the columns of the same names. */
type Columns<T extends PgTable> = T['_']['columns'];
type Selectable = AnyColumn | SQL | SQL.Aliased;
type Rest<S, T extends PgTable> = Partial<Record<keyof S, Selectable>> &
  Record<Exclude<keyof S, keyof Columns<T>>, Selectable>;
type Selected<S, T extends PgTable, R> = {
  [K in keyof S]: K extends keyof R ? R[K] : K extends keyof Columns<T> ? Columns<T>[K] : never;
};

/**
 * The columns behind the fields of a schema, in its order: those of `table` by their names, and what is joined or computed from
 * `rest`. A column of the table that the schema does not name is not read.
 */
export function selectColumns<S extends z.ZodRawShape, T extends PgTable, const R extends Rest<S, T>>(
  schema: z.ZodObject<S>,
  table: T,
  rest: R,
): Selected<S, T, R> {
  const own: Record<string, AnyColumn> = getTableColumns(table);
  const found = Object.keys(schema.shape).map((name) => [
    name,
    (rest as Record<string, Selectable>)[name] ?? own[name],
  ]);
  return Object.fromEntries(found) as Selected<S, T, R>;
}

const getType = (field: z.ZodType): SortKey['type'] => {
  if (field instanceof z.ZodNullable) return getType(field.unwrap() as z.ZodType);
  return field instanceof z.ZodNumber ? 'number' : field instanceof z.ZodBoolean ? 'boolean' : 'text';
};

/**
 * Sort keys by the names of fields; of what type one is and whether it may be null is what the schema says. Ids sort by creation, so `created_at` sorts
 * by `id`.
 */
export function buildSortKeys<N extends string>(
  schema: z.ZodObject<z.ZodRawShape & Record<N, z.ZodType>>,
  names: readonly N[],
  columns: Record<Exclude<N, 'created_at'> | 'id', AnyColumn | SQL>,
): Record<N, SortKey> {
  const toSortKey = (name: N): SortKey =>
    name === 'created_at'
      ? { column: columns.id }
      : {
          column: columns[name as Exclude<N, 'created_at'>],
          type: getType(schema.shape[name] as z.ZodType),
          nullable: (schema.shape[name] as z.ZodType).safeParse(null).success,
        };
  return Object.fromEntries(names.map((name) => [name, toSortKey(name)])) as Record<N, SortKey>;
}

/** What every list takes besides its filters. */
const PAGING: readonly string[] = ['limit', 'cursor', 'sort'] satisfies Paging[];
type Paging = 'limit' | 'cursor' | 'sort';
type Condition<V> = (value: NonNullable<V>) => SQL | undefined;
/** Filters that a column of the same name can answer by equality. */
type Equalities<I, T extends PgTable> = {
  [K in keyof I & keyof Columns<T>]: NonNullable<I[K]> extends Columns<T>[K]['_']['data'] ? K : never;
}[keyof I & keyof Columns<T>];
type Others<I, T extends PgTable> = { [K in Exclude<keyof I, Paging | Equalities<I, T>>]-?: Condition<I[K]> } & {
  [K in Equalities<I, T>]?: Condition<I[K]>;
};

/**
 * The conditions of the filters given: equality with the column of the same name, or what `others` makes of the value. A filter
 * that no column answers must be among them.
 */
export function buildConditions<I extends object, T extends PgTable>(
  input: I,
  table: T,
  others: Others<I, T>,
): (SQL | undefined)[] {
  const own: Record<string, AnyColumn> = getTableColumns(table);
  return Object.entries(input).map(([name, value]) => {
    if (value === undefined || PAGING.includes(name) || (name === 'q' && value === '')) return undefined;
    const other = (others as Record<string, Condition<unknown> | undefined>)[name];
    if (other) return other(value);
    const column = own[name];
    if (!column) throw new Error(`expected a condition for the filter ${name}`);
    return eq(column, value);
  });
}

/** Whether something is in a column, as asked: a filter such as `missing`. */
export const isSet =
  (column: AnyColumn) =>
  (requested: boolean): SQL =>
    requested ? isNotNull(column) : isNull(column);

/** Whether one of the columns contains a text, in whatever case, or a condition such as `hasName` holds: what most lists search with `q`. */
export const hasText =
  (...fields: (AnyColumn | SQL | ((text: string) => SQL | undefined))[]) =>
  (text: string): SQL | undefined =>
    or(...fields.map((field) => (typeof field === 'function' ? field(text) : ilike(field, likePattern(text)))));

/** Whether what a column refers to has a text in its name. Once per search, where a join would be per row. */
export const hasName =
  (column: AnyColumn, named: PgTable & { id: AnyColumn; name: AnyColumn }) =>
  (text: string): SQL =>
    sql`${column} in (select ${named.id} from ${named} where ${ilike(named.name, likePattern(text))})`;

/** A filter that is not answered by the database: its caller narrows the list by other means. */
export const skipCondition = (): undefined => undefined;
