import { type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/**
 * Changes whenever a row of the table is added, changed or deleted: count and total of the rows' own transaction numbers. Unlike the
 * newest `updated_at` it also detects a change that began earlier and was committed later.
 */
export const rowStamp = (table: PgTable): SQL<string> =>
  sql`(select count(*) || ':' || coalesce(sum(xmin::text::bigint), 0) from ${table})`;
