import { type SQL, sql } from 'drizzle-orm';
import { pgArray } from './pg-array';

type Value = string | number | boolean | null;
type Columns<T> = { readonly [K in keyof T & string]: string };

const text = (value: Value): string | null => (value === null ? null : String(value));

/** One value of each row, from the array of a column. Parsing times and documents one by one costs least this way. */
function spread(type: string, values: readonly Value[]): SQL {
  switch (type) {
    case 'timestamptz':
      return sql`to_timestamp(unnest(${pgArray(values.map((value) => Date.parse(String(value)) / 1000))}::text::float8[]))`;
    case 'jsonb':
      return sql`unnest(${pgArray(values)}::text::text[])::jsonb`;
    default:
      return sql`unnest(${pgArray(values)}::text::${sql.raw(type)}[])`;
  }
}

/**
 * Rows as a subquery for FROM or INSERT, a parameter per column whatever their number. In a SELECT list, because
 * `unnest(a, b, …)` in FROM keeps each column in a store of its own, which takes as long as storing the rows; a column that
 * is the same in all rows is sent once.
 * @param columns names and types in the order of the result; times must not be null
 * @param key a column that is always spread: it makes the rows
 */
export function rowsOfArrays<T extends { [K in keyof T]: Value }>(
  columns: Columns<T>,
  key: keyof T & string,
  rows: readonly T[],
): SQL {
  const items = (Object.keys(columns) as (keyof T & string)[]).map((name) => {
    const values = rows.map((row): Value => row[name]);
    const [first = null] = values;
    const type = columns[name];
    const isConstant = name !== key && values.every((value) => value === first);
    const item = isConstant ? sql`${text(first)}::text::${sql.raw(type)}` : spread(type, values);
    return sql`${item} as ${sql.raw(name)}`;
  });
  return sql`(select ${sql.join(items, sql`, `)})`;
}
