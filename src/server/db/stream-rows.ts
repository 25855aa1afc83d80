import { setImmediate } from 'node:timers/promises';
import { type SQL, sql as text } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { db, type Executor, STREAM_TIMEOUT_MS, secondStreamClient, streamClient, type Tx } from './client';

/** Rows per batch from the database, and how many such batches wait for the reader. */
const BATCH = 500;
const WAITING = 2;

export type Snapshot = {
  /** Streams of the same state over a second connection, for as long as `work` takes. */
  readonly second: <T>(work: (snapshot: Streams) => Promise<T>) => Promise<T>;
  /** Runs a query of the same state beside the others, on a connection of the pool. */
  readonly alongside: <T>(work: (executor: Executor) => Promise<T>) => Promise<T>;
} & Streams;

export type Streams = {
  /**
   * Passes the rows of a query to `work` in batches, in their order, reading the next batch while one is processed. It
   * reads no more than is needed: memory does not grow with the number of rows.
   */
  readonly each: <T extends Record<string, unknown>>(
    query: SQL,
    work: (rows: readonly T[]) => Promise<void> | void,
  ) => Promise<void>;
  /**
   * The same with rows as lists of values, in the order of the columns: of very many rows that are wide this costs half.
   * @param batch rows that are read at a time: all of a short answer, where its reader is busy and would rarely ask for more. Of a
   * longer one the next rows are read when these are processed
   */
  readonly eachValues: <T extends readonly unknown[]>(
    query: SQL,
    work: (rows: readonly T[]) => Promise<void> | void,
    batch?: number,
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
  batch = BATCH,
): Promise<void> {
  const { sql, params } = dialect.sqlToQuery(query);
  const failures: unknown[] = [];
  let chain: Promise<void> = Promise.resolve();
  let waiting = 0;
  let freed: () => void = () => {};
  const failIfFailed = () => {
    if (failures.length > 0) throw failures[0];
  };
  // Many rows at a time are enough: only one such batch is in memory.
  const most = batch > BATCH ? 0 : WAITING;
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
    if (waiting > most) {
      await new Promise<void>((resolve) => {
        freed = resolve;
      });
    }
    failIfFailed();
  };
  // biome-ignore lint/nursery/noMisusedPromises: the driver waits for it before it asks for more, which its types do not say
  await asked.cursor(batch, (rows) => {
    const taken = take(rows as unknown as readonly T[]);
    // The driver does not wait for the last batch; a failure is reported below in any case.
    taken.catch(() => {});
    return taken;
  });
  await chain;
  failIfFailed();
}

const READS = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;

async function inSameState<T>(tx: Executor, over: Pick<typeof db, 'transaction'>, work: (other: Tx) => Promise<T>) {
  const [row] = await tx.execute<{ name: string }>(text`select pg_export_snapshot() as name`);
  return over.transaction(async (other) => {
    await other.execute(text.raw(`set transaction snapshot '${row?.name ?? ''}'`));
    return work(other);
  }, READS);
}

function streamsOver(tx: Tx): Streams {
  // Drizzle has no cursors; its transaction is one of postgres.js, which has.
  const { client } = (tx as unknown as { session: { client: postgres.TransactionSql } }).session;
  return {
    each: (query, perBatch) => eachBatch(client, query, false, perBatch),
    eachValues: (query, perBatch, batch) => eachBatch(client, query, true, perBatch, batch),
  };
}

/** One connection waits while the rows of the other are processed: as long as an answer may take, and not for a minute only. */
const extendIdleTimeout = (tx: Tx) =>
  tx.execute(text`select set_config('idle_in_transaction_session_timeout', ${String(STREAM_TIMEOUT_MS)}, true)`);

/**
 * Runs `work` with one unchanging state of the database, which is only read. For answers of any length; when `work` fails,
 * the query ends.
 * @param options `sorts`: for queries that sort or group very many rows: they may use more memory before they use the disk
 */
export function readSnapshot<T>(work: (snapshot: Snapshot) => Promise<T>, { sorts = false } = {}): Promise<T> {
  const withMemory = async (tx: Tx) => {
    if (sorts) await tx.execute(text`select set_config('work_mem', '64MB', true)`);
  };
  return drizzle(streamClient(), {}).transaction(async (tx) => {
    await withMemory(tx);
    return work({
      alongside: (other) => inSameState(tx, db, other),
      second: async (other) => {
        await extendIdleTimeout(tx);
        return inSameState(tx, drizzle(secondStreamClient(), {}), async (second) => {
          await withMemory(second);
          await extendIdleTimeout(second);
          return other(streamsOver(second));
        });
      },
      ...streamsOver(tx),
    });
  }, READS);
}
