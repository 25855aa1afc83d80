import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import type { SortKey } from './keyset';

/** So many digits each number has in a sort key; of longer ones the last digits count. */
const DIGITS = 20;

/**
 * What a text sorts by where numbers in it count as numbers: `web-2` before `web-10`. Built of functions that give the same on every
 * PostgreSQL: an index by a collation of ICU would be wrong after an update of ICU.
 */
export const buildNaturalKey = (column: AnyColumn): SQL => {
  const padded = sql.raw(`'${'0'.repeat(DIGITS)}\\1'`);
  const cut = sql.raw(`'[0-9]+([0-9]{${DIGITS}})', '\\1', 'g'`);
  return sql`regexp_replace(regexp_replace(${column}, '([0-9]+)', ${padded}, 'g'), ${cut})`;
};

const naturalKey = (text: string | null): string | null =>
  text?.replace(/[0-9]+/g, (digits) => digits.padStart(DIGITS, '0').slice(-DIGITS)) ?? null;

/**
 * Sorts a text by the numbers in it: `vmbr2` before `vmbr10`, version 1.9.0 before 1.10.0. It is computed for every row that
 * matches, so it is for lists of some hundred.
 * @param field of the row that has the text
 */
export const naturalOrder = <F extends string>(column: AnyColumn, field: F, nullable = false): SortKey =>
  keyOrder(buildNaturalKey(column), field, nullable);

/** The same with a key that is stored beside the text, such as `sort_name`. */
export const keyOrder = <F extends string>(key: AnyColumn | SQL, field: F, nullable = false): SortKey => ({
  column: key,
  nullable,
  sortValue: (row: Record<F, string | null>) => naturalKey(row[field]),
});
