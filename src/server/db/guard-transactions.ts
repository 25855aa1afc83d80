import type postgres from 'postgres';

type Begin = (...args: unknown[]) => Promise<unknown>;
type Body = (tx: postgres.TransactionSql) => unknown;

/**
 * Keeps a lost connection from ending the process. When a connection breaks off inside a transaction, postgres.js (3.4)
 * rejects the transaction, but then sends its rollback, and whatever the body still asks, to the socket that is gone, which
 * throws where nobody can catch it. Nothing is sent any more once the transaction is rejected.
 */
export function guardTransactions(client: postgres.Sql): void {
  const begin = client.begin as unknown as Begin;
  const guarded: Begin = (...args) => {
    const body = args.pop() as Body;
    let lost: unknown;
    const transaction = begin(...args, async (tx: postgres.TransactionSql) => {
      const { unsafe } = tx;
      tx.unsafe = ((...query: Parameters<typeof unsafe>) => {
        if (lost !== undefined) throw lost;
        return unsafe(...query);
      }) as typeof unsafe;
      try {
        return await body(tx);
      } catch (error) {
        // A loss is told to both, in any order: a turn later both know of it.
        await new Promise((resolve) => setImmediate(resolve));
        // Whoever began the transaction has its error already; going on here would send the rollback.
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
