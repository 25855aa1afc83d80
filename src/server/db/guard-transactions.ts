import type postgres from 'postgres';
import { prepareFrequent } from './prepare-statements';

type Begin = (...args: unknown[]) => Promise<unknown>;
type Body = (tx: postgres.TransactionSql) => unknown;

const describeEnd = () =>
  new Error('The transaction has ended: a part of it that was not waited for tried to run another statement');

/**
 * Guards transactions of postgres.js (3.4) against two things.
 *
 * A lost connection would end the process: the transaction is rejected, but then its rollback, and any further query of the body, goes to
 * the closed socket, which throws where it cannot be caught. Nothing is sent any more once the transaction is rejected.
 *
 * A part of the body may continue after the body has ended, as one of several in a `Promise.all` of which another failed. Its statements
 * would run after the rollback, and so be kept, or in the next transaction of the connection. They fail instead.
 *
 * Frequent statements are prepared inside transactions, too. The same holds for a savepoint inside a transaction: when the connection is
 * lost, its own rollback is not sent either.
 */
export function guardTransactions(client: postgres.Sql): void {
  const begin = client.begin as unknown as Begin;
  const guarded: Begin = (...args) => {
    const body = args.pop() as Body;
    let lost: unknown;
    const guardBody = (inner: Body) => async (tx: postgres.TransactionSql) => {
      let ended = false;
      const savepoint = tx.savepoint as unknown as Begin;
      tx.savepoint = ((...given: unknown[]) => {
        const part = given.pop() as Body;
        return savepoint(...given, guardBody(part));
      }) as unknown as typeof tx.savepoint;
      const unsafe = prepareFrequent(tx.unsafe);
      tx.unsafe = ((...query: Parameters<typeof unsafe>) => {
        if (lost !== undefined) throw lost;
        if (ended) throw describeEnd();
        return unsafe(...query);
      }) as typeof unsafe;
      try {
        const result = await inner(tx);
        ended = true;
        return result;
      } catch (error) {
        ended = true;
        // Both are notified of a loss, in any order: one turn later both know about it.
        await new Promise((resolve) => setImmediate(resolve));
        // The caller that began the transaction has its error already; continuing here would send the rollback.
        if (lost !== undefined) return new Promise(() => {});
        throw error;
      }
    };
    const transaction = begin(...args, guardBody(body));
    return transaction.catch((error: unknown) => {
      lost = error ?? new Error('the transaction was rejected');
      throw error;
    });
  };
  client.begin = guarded as unknown as typeof client.begin;
}
