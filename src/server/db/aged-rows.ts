import { setTimeout as delay } from 'node:timers/promises';
import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { db, type Executor } from './client';

/** A table whose rows expire, and its column with the time by which they do. */
export type Aged = { table: PgTable; at: string };

/** Pages of a table, from `from` up to but not including `to`. */
export type Pages = { from: number; to: number };

/** Pages of one statement: its locks last some tens of milliseconds. */
const CHUNK_PAGES = 256;
/** Milliseconds a statement is followed by at most, when the store is busy for another reason. */
const LONGEST_REST_MS = 1_000;

/** The number of pages of a table that has rows from before `cutoff`, else 0: the index on the time mostly knows. */
async function countPagesWithAged(executor: Executor, { table, at }: Aged, cutoff: string): Promise<number> {
  const rows = await executor.execute<{ pages: number }>(sql`
    select (pg_relation_size(${getTableName(table)}::regclass) / current_setting('block_size')::int)::int as pages
    where exists (select 1 from ${table} where ${sql.identifier(at)} < ${cutoff}::timestamptz)`);
  return rows[0]?.pages ?? 0;
}

/**
 * Where the rows from before `cutoff` in some pages are, locked. Rows that another transaction is writing are left for
 * the next time, so neither waits for the other. Reading page after page never meets deleted rows a second time.
 */
export function agedRows({ table, at }: Aged, cutoff: string, pages: Pages): SQL {
  return sql`array(select ctid from ${table}
    where ctid >= ${`(${pages.from},0)`}::tid and ctid < ${`(${pages.to},0)`}::tid
      and ${sql.identifier(at)} < ${cutoff}::timestamptz
    for update skip locked)`;
}

async function deleteInPages(executor: Executor, aged: Aged, cutoff: string, pages: Pages): Promise<number> {
  const rows = await executor.execute<{ gone: number }>(sql`
    with gone as (delete from ${aged.table} where ctid = any (${agedRows(aged, cutoff, pages)}) returning 1)
    select count(*)::int as gone from gone`);
  return rows[0]?.gone ?? 0;
}

/**
 * Works through the pages of a table that may hold expired rows. A chunk that is interrupted has done nothing. It rests as
 * long as it works: nothing is in a hurry here, and at most half of a core and of the disk is taken from heartbeats.
 */
export async function processAgedRows(
  aged: Aged,
  cutoff: string,
  work: (pages: Pages) => Promise<number>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const pages = await countPagesWithAged(db, aged, cutoff);
  let total = 0;
  for (let from = 0; from < pages; from += CHUNK_PAGES) {
    signal?.throwIfAborted();
    const started = performance.now();
    total += await work({ from, to: from + CHUNK_PAGES });
    await delay(Math.min(performance.now() - started, LONGEST_REST_MS), undefined, { signal }).catch(() => undefined);
  }
  return total;
}

/** Deletes the rows from before `cutoff`. @returns how many went */
export const deleteAged = (aged: Aged, cutoff: string, signal: AbortSignal | undefined): Promise<number> =>
  processAgedRows(aged, cutoff, (pages) => deleteInPages(db, aged, cutoff, pages), signal);
