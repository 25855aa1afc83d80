import { type SQL, sql } from 'drizzle-orm';
import { type PgArrayType, pgArray } from './pg-array';

type Value = string | number | boolean | null;
type Columns<T> = { readonly [K in keyof T & string]: PgArrayType };

const text = (value: Value): string | null => (value === null ? null : String(value));

/** One value of each row, from the array of a column. Parsing times and documents one by one costs least this way. */
function spread(type: PgArrayType, values: readonly Value[]): SQL {
  switch (type) {
    case 'timestamptz':
      return sql`to_timestamp(unnest(${pgArray(
        'float8',
        values.map((value) => Date.parse(String(value)) / 1000),
      )}))`;
    case 'jsonb':
      // One document: in an array of texts, each quote of each document is escaped.
      return sql`nullif(jsonb_array_elements(${`[${values.map((value) => value ?? 'null').join(',')}]`}::jsonb), 'null')`;
    default:
      return sql`unnest(${pgArray(type, values)})`;
  }
}

/** Ids that occur in four rows each on average, or more, are parsed once: the rows then hold their numbers. */
const REPEATED = 4;

type Column = { item: SQL; dictionary?: SQL };

/** Ids by their numbers in a dictionary, when they repeat: parsing an id takes four times as long as parsing a number. */
function spreadIds(name: string, values: readonly Value[]): Column {
  const ids = [...new Set(values.filter((value) => value !== null))];
  if (ids.length * REPEATED > values.length) return { item: spread('uuid', values) };
  const numbers = new Map<Value, number>(ids.map((id, i) => [id, i + 1]));
  const indexes = pgArray(
    'int',
    values.map((value) => numbers.get(value) ?? null),
  );
  return {
    item: sql`d.${sql.raw(name)}[unnest(${indexes})]`,
    dictionary: sql`${pgArray('uuid', ids)} as ${sql.raw(name)}`,
  };
}

/**
 * Rows as a subquery for FROM or INSERT, a parameter per column whatever their number. In a SELECT list, because
 * `unnest(a, b, …)` in FROM keeps each column in a store of its own, which takes as long as storing the rows; a column that
 * is the same in all rows is sent once.
 * @param columns names and types in the order of the result; times must not be null
 * @param key a column that is always spread: it makes the rows
 */
export function unnestRows<T extends { [K in keyof T]: Value }>(
  columns: Columns<T>,
  key: keyof T & string,
  rows: readonly T[],
): SQL {
  const names = Object.keys(columns) as (keyof T & string)[];
  const made = names.map((name): Column => {
    const values = rows.map((row): Value => row[name]);
    const [first = null] = values;
    const type = columns[name];
    const isConstant = name !== key && values.every((value) => value === first);
    if (isConstant) return { item: sql`${text(first)}::text::${sql.raw(type)}` };
    return type === 'uuid' && name !== key ? spreadIds(name, values) : { item: spread(type, values) };
  });
  const items = sql.join(
    made.map(({ item }, i) => sql`${item} as ${sql.raw(names[i] ?? '')}`),
    sql`, `,
  );
  const dictionaries = made.flatMap(({ dictionary }) => dictionary ?? []);
  if (dictionaries.length === 0) return sql`(select ${items})`;
  // `offset 0` keeps the planner from putting the parsing of a dictionary into each row.
  return sql`(select ${items} from (select ${sql.join(dictionaries, sql`, `)} offset 0) as d)`;
}
