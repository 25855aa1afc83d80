import { type SQL, sql } from 'drizzle-orm';

/** The types of which arrays are sent. */
export type PgArrayType =
  | 'bigint'
  | 'boolean'
  | 'cidr'
  | 'date'
  | 'float8'
  | 'inet'
  | 'int'
  | 'jsonb'
  | 'smallint'
  | 'text'
  | 'timestamptz'
  | 'uuid';

const QUOTED = /["\\]/g;
/** Finding out that a text has neither is cheaper than replacing nothing. */
const quote = (text: string): string =>
  text.includes('"') || text.includes('\\') ? `"${text.replace(QUOTED, '\\$&')}"` : `"${text}"`;

/** Values as the text in which PostgreSQL reads an array: no conversion per value by the driver. */
function arrayText(values: readonly (string | number | boolean | null)[]): string {
  const items = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'string' ? quote(value) : String(value);
  });
  return `{${items.join(',')}}`;
}

/**
 * Values as one parameter that PostgreSQL takes as an array, for `= any (${pgArray('uuid', ids)})` and `unnest`. The cast
 * names the type of the parameter, so the array is parsed once when it arrives. A cast of text (`$1::text::uuid[]`) is not:
 * the planner does not fold it, and a sequential scan parses the whole array again for every row.
 */
export const pgArray = (type: PgArrayType, values: readonly (string | number | boolean | null)[]): SQL =>
  sql`${arrayText(values)}::${sql.raw(type)}[]`;
