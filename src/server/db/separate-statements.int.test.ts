import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { startFreshProcess } from '@/test/fresh-process';
import { db } from './client';

/** As many as postgres.js sends to a connection before it waits for answers. */
const PIPELINE = 100;
const CONNECTIONS = 2;

it('keeps what it confirms, however many statements and transactions come together', async () => {
  await db.execute(sql`create table written (number int)`);
  let sent = 0;
  const insert = (executor: Pick<typeof db, 'execute'>) =>
    executor.execute(sql`insert into written values (${sent++})`);
  const times = (count: number, make: () => Promise<unknown>) => Array.from({ length: count }, make);
  const results: PromiseSettledResult<unknown>[] = [];
  // Transactions that come when each connection has been sent so many statements.
  for (let before = PIPELINE - 4; before < PIPELINE + 4; before += 1) {
    await startFreshProcess({ DATABASE_POOL_SIZE: String(CONNECTIONS) });
    // Both connections have prepared it: others wait for the answer about their parameters.
    for (let warm = 0; warm < 4; warm += 1) await Promise.all(times(2 * CONNECTIONS, () => insert(db)));
    const together = times(CONNECTIONS, () => db.execute(sql`select pg_sleep(0.1)`).then());
    together.push(...times(before * CONNECTIONS, () => insert(db).then()));
    await nextTurn();
    together.push(...times(CONNECTIONS, () => db.transaction((tx) => insert(tx))));
    together.push(...times(5, () => insert(db).then()));
    results.push(...(await Promise.allSettled(together)));
  }
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  // What is written in a transaction that is never ended is lost with its connection.
  await startFreshProcess();
  const [stored] = await db.execute(sql`select count(*)::int as count from written`);
  expect({ failed, ...stored }).toEqual({ failed: [], count: sent });
});
