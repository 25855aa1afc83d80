import { getTableColumns, getTableName, type InferInsertModel, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from './client';

/** Rows of one statement: few enough for short locks, many enough that round trips do not count. */
export const BATCH_ROWS = 500;

/** The rows in batches of at most `size`. */
export function batches<T>(rows: readonly T[], size = BATCH_ROWS): T[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size));
}

/**
 * Updates many rows by id, each with its own values, in one statement per batch. All rows name the same columns. Rows
 * are locked in the order of their ids, so that two writers of the same rows do not wait for each other in a circle.
 */
export async function updateRows<T extends PgTable>(
  executor: Executor,
  table: T,
  rows: readonly (Partial<InferInsertModel<T>> & { id: string })[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns: Record<string, PgColumn> = getTableColumns(table);
  const names = Object.keys(first).filter((name) => name !== 'id');
  const getColumnType = (name: string) => {
    const column = columns[name];
    if (!column) throw new Error(`expected table ${getTableName(table)} to have a column ${name}`);
    return sql.raw(column.getSQLType());
  };
  const fields = sql.join(
    ['id', ...names].map((name) => sql`${sql.identifier(name)} ${getColumnType(name)}`),
    sql`, `,
  );
  const assignments = sql.join(
    names.map((name) => sql`${sql.identifier(name)} = r.${sql.identifier(name)}`),
    sql`, `,
  );
  const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const batch of batches(sorted)) {
    await executor.execute(sql`
      with r as materialized (select * from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as x(${fields})),
        locked as materialized (select id from ${table} where id in (select id from r) order by id for no key update)
      update ${table} as t set ${assignments}, updated_at = now() from r
      where t.id = r.id and t.id in (select id from locked)`);
  }
}
