import type postgres from 'postgres';
import { sqlClient } from '@/server/db/client';

/**
 * Runs `work` and gives the statements that this process sent meanwhile, those inside transactions included (but not their
 * begin and commit).
 */
export async function recordStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const client = sqlClient();
  const { unsafe, begin } = client;
  const statements: string[] = [];
  const listenTo = (target: Pick<postgres.Sql, 'unsafe'>, original: typeof unsafe) => {
    target.unsafe = ((...args: Parameters<typeof unsafe>) => {
      statements.push(args[0]);
      return original(...args);
    }) as typeof unsafe;
  };
  listenTo(client, unsafe);
  client.begin = ((body: (tx: postgres.TransactionSql) => Promise<unknown>) =>
    begin((tx) => {
      listenTo(tx, tx.unsafe);
      return body(tx);
    })) as typeof begin;
  try {
    return { result: await work(), statements };
  } finally {
    client.unsafe = unsafe;
    client.begin = begin;
  }
}

/** Runs `work` and counts the statements it sends. */
export async function countQueries<T>(work: () => Promise<T>): Promise<{ result: T; queries: number }> {
  const { result, statements } = await recordStatements(work);
  return { result, queries: statements.length };
}
