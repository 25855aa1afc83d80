import journal from '../../../drizzle/meta/_journal.json' with { type: 'json' };
import { queueBackend } from '../jobs/backend';
import { queueOf } from '../jobs/queues';
import { deriveKey } from '../lib/crypto';
import { logger } from '../lib/logger';
import { latestMigration } from './queries/migrations';

export type Check = { status: 'ok' | 'failed' | 'unknown'; detail?: string };
export type Readiness = {
  /** `ok` when requests, a sign-in among them, will succeed. */
  status: 'ok' | 'failed';
  checks: { database: Check; migrations: Check; queue: Check; secret_key: Check; worker: Check };
};

const TIMEOUT_MS = 3_000;

async function check(name: string, ask: () => Promise<Check>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Check>((resolve) => {
    timer = setTimeout(
      () => resolve({ status: 'failed', detail: `no answer within ${TIMEOUT_MS / 1000} s` }),
      TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([ask(), timeout]);
  } catch (error) {
    // The cause may name hosts and users; it belongs in the log, the probe is public.
    logger.warn({ err: error, check: name }, 'health check failed');
    return { status: 'failed', detail: 'it cannot be reached' };
  } finally {
    clearTimeout(timer);
  }
}

async function database(): Promise<{ database: Check; migrations: Check }> {
  const expected = journal.entries.at(-1)?.when ?? 0;
  let migrations: Check = { status: 'unknown', detail: 'the database cannot be reached' };
  const reachable = await check('database', async () => {
    const latest = await latestMigration();
    migrations =
      latest >= expected
        ? { status: 'ok' }
        : { status: 'failed', detail: 'the database is older than this program; run the migrations' };
    return { status: 'ok' };
  });
  return { database: reachable, migrations };
}

/** Sessions are signed with a key that is derived from it. Its text is never told. */
function secretKey(): Check {
  try {
    deriveKey('health');
    return { status: 'ok' };
  } catch (error) {
    logger.warn({ err: error, check: 'secret_key' }, 'health check failed');
    return { status: 'failed', detail: 'FABRIC_SECRET_KEY is not set, so no sign-in works' };
  }
}

/**
 * Whether requests will succeed now: the database answers and has this program's schema, the job queue answers, and
 * sessions can be signed.
 * A missing worker is told, but does not count: pages still work, only jobs wait.
 */
export async function readiness(): Promise<Readiness> {
  const [stores, queue, worker] = await Promise.all([
    database(),
    check('queue', async () => {
      await queueBackend.ping();
      return { status: 'ok' };
    }),
    check('worker', async () =>
      (await queueOf('sync.schedule').getWorkersCount()) > 0
        ? { status: 'ok' }
        : { status: 'failed', detail: 'no worker is connected; jobs wait' },
    ),
  ]);
  const secret_key = secretKey();
  const required = [stores.database, stores.migrations, queue, secret_key];
  return {
    status: required.every((result) => result.status === 'ok') ? 'ok' : 'failed',
    checks: { ...stores, queue, secret_key, worker },
  };
}
