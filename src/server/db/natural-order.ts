import { type AnyColumn, sql } from 'drizzle-orm';
import type { SortKey } from './keyset';

/** So many digits a number has at least in a sort key. */
const DIGITS = 20;

/** What a text sorts by where numbers in it count as numbers. */
const naturalKey = (text: string | null): string | null =>
  text?.replace(/[0-9]+/g, (digits) => digits.padStart(DIGITS, '0')) ?? null;

/**
 * Sorts a text by the numbers in it: `node2` before `node10`, version 1.9.0 before 1.10.0. It is computed for every row that
 * matches, so it is for lists of some thousand at most.
 * @param field of the row that has the text
 */
export function naturalOrder<F extends string>(column: AnyColumn, field: F, nullable = false): SortKey {
  const part = sql.raw(
    `case when m[1] ~ '^[0-9]' then lpad(m[1], greatest(${DIGITS}, length(m[1])), '0') else m[1] end`,
  );
  return {
    column: sql`(select case when ${column} is not null then coalesce(string_agg(${part}, '' order by place), '') end
      from regexp_matches(${column}, '[0-9]+|[^0-9]+', 'g') with ordinality as matches(m, place))`,
    nullable,
    sortValue: (row: Record<F, string | null>) => naturalKey(row[field]),
  };
}
