import { setImmediate } from 'node:timers/promises';
import { type SQL, sql as text } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { db, type Executor, streamClient } from './client';

/** Rows per batch from the database, and how many such batches wait for the reader. */
const BATCH = 500;
const WAITING = 2;

export type Snapshot = {
  /** Runs a query of the same state beside the others, on a connection of the pool. */
  readonly alongside: <T>(work: (executor: Executor) => Promise<T>) => Promise<T>;
  /**
   * Passes the rows of a query to `work` in batches, in their order, reading the next batch while one is processed. It
   * reads no more than is needed: memory does not grow with the number of rows.
   */
  readonly each: <T extends Record<string, unknown>>(
    query: SQL,
    work: (rows: readonly T[]) => Promise<void> | void,
  ) => Promise<void>;
  /** The same with rows as lists of values, in the order of the columns: of very many rows that are wide this costs half. */
  readonly eachValues: <T extends readonly unknown[]>(
    query: SQL,
    work: (rows: readonly T[]) => Promise<void> | void,
  ) => Promise<void>;
};

const dialect = new PgDialect();

/**
 * The driver requests the next batch one turn of the event loop after it handed over the last one: work starts after
 * that, so that the database works in parallel.
 */
const afterNextRequest = async (): Promise<void> => {
  await setImmediate();
  await setImmediate();
};

async function eachBatch<T>(
  tx: postgres.TransactionSql,
  query: SQL,
  asLists: boolean,
  work: (rows: readonly T[]) => Promise<void> | void,
): Promise<void> {
  const { sql, params } = dialect.sqlToQuery(query);
  const failures: unknown[] = [];
  let chain: Promise<void> = Promise.resolve();
  let waiting = 0;
  let freed: () => void = () => {};
  const failIfFailed = () => {
    if (failures.length > 0) throw failures[0];
  };
  const asked = tx.unsafe(sql, params as never[]);
  if (asLists) void asked.values();
  const take = async (rows: readonly T[]) => {
    failIfFailed();
    waiting += 1;
    chain = chain
      .then(afterNextRequest)
      .then(() => (failures.length > 0 ? undefined : work(rows)))
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => {
        waiting -= 1;
        freed();
      });
    if (waiting > WAITING) {
      await new Promise<void>((resolve) => {
        freed = resolve;
      });
    }
    failIfFailed();
  };
  // biome-ignore lint/nursery/noMisusedPromises: the driver waits for it before it asks for more, which its types do not say
  await asked.cursor(BATCH, (rows) => {
    const taken = take(rows as unknown as readonly T[]);
    // The driver does not wait for the last batch; a failure is reported below in any case.
    taken.catch(() => {});
    return taken;
  });
  await chain;
  failIfFailed();
}

async function inSameState<T>(tx: Executor, work: (executor: Executor) => Promise<T>): Promise<T> {
  const [row] = await tx.execute<{ name: string }>(text`select pg_export_snapshot() as name`);
  return db.transaction(
    async (other) => {
      await other.execute(text.raw(`set transaction snapshot '${row?.name ?? ''}'`));
      return work(other);
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

/**
 * Runs `work` with one unchanging state of the database, which is only read. For answers of any length; when `work` fails,
 * the query ends.
 * @param options `sorts`: for queries that sort or group very many rows: they may use more memory before they use the disk
 */
export function readSnapshot<T>(work: (snapshot: Snapshot) => Promise<T>, { sorts = false } = {}): Promise<T> {
  return drizzle(streamClient(), {}).transaction(
    async (tx) => {
      if (sorts) await tx.execute(text`select set_config('work_mem', '64MB', true)`);
      // Drizzle has no cursors; its transaction is one of postgres.js, which has.
      const { client } = (tx as unknown as { session: { client: postgres.TransactionSql } }).session;
      return work({
        alongside: (other) => inSameState(tx, other),
        each: (query, perBatch) => eachBatch(client, query, false, perBatch),
        eachValues: (query, perBatch) => eachBatch(client, query, true, perBatch),
      });
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}
