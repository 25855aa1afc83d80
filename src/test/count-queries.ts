import type postgres from 'postgres';
import { type DatabaseUse, sqlClient, withDatabaseUse } from '@/server/db/client';

const USES: readonly DatabaseUse[] = ['work', 'reads', 'heavy'];

/**
 * Runs `work` and returns the statements that this process sent during it, those inside transactions included (but not
 * their begin and commit).
 */
export async function recordStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const statements: string[] = [];
  const listenTo = (target: Pick<postgres.Sql, 'unsafe'>, original: postgres.Sql['unsafe']) => {
    target.unsafe = ((...args: Parameters<typeof original>) => {
      statements.push(args[0]);
      return original(...args);
    }) as typeof original;
  };
  const restored = USES.map((expected) => {
    const client = withDatabaseUse(expected, sqlClient);
    const { unsafe, begin } = client;
    listenTo(client, unsafe);
    client.begin = ((body: (tx: postgres.TransactionSql) => Promise<unknown>) =>
      begin((tx) => {
        listenTo(tx, tx.unsafe);
        return body(tx);
      })) as typeof begin;
    return () => Object.assign(client, { unsafe, begin });
  });
  try {
    return { result: await work(), statements };
  } finally {
    for (const restore of restored) restore();
  }
}

/** Runs `work` and counts the statements it sends. */
export async function countQueries<T>(work: () => Promise<T>): Promise<{ result: T; queries: number }> {
  const { result, statements } = await recordStatements(work);
  return { result, queries: statements.length };
}
