import type postgres from 'postgres';
import { prepareFrequent } from './prepare-statements';

type Begin = (...args: unknown[]) => Promise<unknown>;
type Body = (tx: postgres.TransactionSql) => unknown;

/**
 * Keeps a lost connection from ending the process. When a connection fails inside a transaction, postgres.js (3.4)
 * rejects the transaction, but then sends its rollback, and any further query of the body, to the closed socket, which
 * throws where it cannot be caught. Nothing is sent any more once the transaction is rejected. Frequent statements are prepared inside
 * transactions, too.
 */
export function guardTransactions(client: postgres.Sql): void {
  const begin = client.begin as unknown as Begin;
  const guarded: Begin = (...args) => {
    const body = args.pop() as Body;
    let lost: unknown;
    const transaction = begin(...args, async (tx: postgres.TransactionSql) => {
      const unsafe = prepareFrequent(tx.unsafe);
      tx.unsafe = ((...query: Parameters<typeof unsafe>) => {
        if (lost !== undefined) throw lost;
        return unsafe(...query);
      }) as typeof unsafe;
      try {
        return await body(tx);
      } catch (error) {
        // Both are notified of a loss, in any order: one turn later both know about it.
        await new Promise((resolve) => setImmediate(resolve));
        // The caller that began the transaction has its error already; continuing here would send the rollback.
        if (lost !== undefined) return new Promise(() => {});
        throw error;
      }
    });
    return transaction.catch((error: unknown) => {
      lost = error ?? new Error('the transaction was rejected');
      throw error;
    });
  };
  client.begin = guarded as unknown as typeof client.begin;
}
