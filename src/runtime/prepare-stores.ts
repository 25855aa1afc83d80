import { setTimeout as delay } from 'node:timers/promises';
import { migrateDatabase } from '@/server/db/migrate';
import { makeQueueBackend } from '@/server/jobs/backend';
import { prepareFlowStorage } from '@/server/traffic/storage/flow-storage';

/**
 * The store is not ready yet, which may resolve itself: refused or lost connections, a name that does not resolve, a
 * server that is starting.
 */
const NOT_YET = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', '57P01', '57P02', '57P03'],
]);

/**
 * Does work that needs a store and retries while the store does not answer.
 * @param work may run several times
 * @throws Error of the work when the store does not answer within `timeoutMs`, or immediately on any other failure
 */
export async function retryUntilAvailable<T>(work: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 200; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await work();
    } catch (error) {
      if (!NOT_YET.has(String((error as { code?: string }).code)) || Date.now() + pause > deadline) throw error;
      await delay(pause);
    }
  }
}

type Stores = { DATABASE_URL: string; REDIS_URL?: string };

/**
 * Migrates the database, the store of flows and the queues to this program's version. Every process does so before it reports ready; one
 * does the work, the others wait for it. Waits for a store that does not answer yet.
 * @throws Error of the store when it does not answer within `timeoutMs`, or immediately when a migration fails
 */
export async function prepareStores(stores: Stores, timeoutMs?: number): Promise<void> {
  await retryUntilAvailable(() => migrateDatabase(stores.DATABASE_URL), timeoutMs);
  await retryUntilAvailable(() => prepareFlowStorage(stores.DATABASE_URL), timeoutMs);
  const queues = makeQueueBackend(stores);
  try {
    await queues.prepare();
  } finally {
    await queues.close();
  }
}
