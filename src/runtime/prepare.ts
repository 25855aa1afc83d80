import { migrateDatabase } from '@/server/db/migrate';
import { makeQueueBackend } from '@/server/jobs/backend';
import { withPatience } from './store-patience';

type Stores = { DATABASE_URL: string; REDIS_URL?: string };

/**
 * Brings the database and the queues to this program's version. Every process does so before it says it is ready; one
 * does the work, the others wait for it. A store that does not answer yet is waited for.
 * @throws Error of the store when it does not answer within `timeoutMs`, or at once when a migration fails
 */
export async function prepareStores(stores: Stores, timeoutMs?: number): Promise<void> {
  await withPatience(() => migrateDatabase(stores.DATABASE_URL), timeoutMs);
  const queues = makeQueueBackend(stores);
  try {
    await queues.prepare();
  } finally {
    await queues.close();
  }
}
