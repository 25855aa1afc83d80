import journal from '../../../drizzle/meta/_journal.json';
import type { Scope } from '../auth/scope';
import { queueBackend } from '../jobs/backend';
import { type JobsOverview, jobsOverview } from '../jobs/overview';
import { getQueue } from '../jobs/queues';
import { clock } from '../lib/clock';
import { acceptedKeys, deriveKey, keyId } from '../lib/crypto';
import { env } from '../lib/env';
import { logger } from '../lib/logger';
import { countExporters, readCollector } from '../traffic/queries/flow-exporters';
import { countUnmoved, examineFlowStorage, type FlowStorageFacts } from '../traffic/storage/flow-storage';
import {
  type DatabaseFacts,
  type FleetFacts,
  latestMigration,
  readDatabaseFacts,
  readFleetFacts,
} from './queries/database';
import { countByKey } from './queries/sealed-values';
import { SEALED_PLACES } from './rotate-secrets';

export type Check = { status: 'ok' | 'failed' | 'unknown'; detail?: string };
export type Readiness = {
  /** `ok` when requests, a sign-in among them, will succeed. */
  status: 'ok' | 'failed';
  checks: {
    database: Check;
    migrations: Check;
    queue: Check;
    secret_key: Check;
    worker: Check;
    /** Only where flows are stored in ClickHouse. */
    flow_storage?: Check;
  };
};

const TIMEOUT_MS = 3_000;

async function check(name: string, ask: () => Promise<Check>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Check>((resolve) => {
    timer = setTimeout(
      () => resolve({ status: 'failed', detail: `no response within ${TIMEOUT_MS / 1000} s` }),
      TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([ask(), timeout]);
  } catch (error) {
    // The cause may name hosts and users; it belongs in the log, the probe is public.
    logger.warn({ err: error, check: name }, 'health check failed');
    return { status: 'failed', detail: 'cannot be reached' };
  } finally {
    clearTimeout(timer);
  }
}

async function database(): Promise<{ database: Check; migrations: Check }> {
  const expected = journal.entries.at(-1)?.when ?? 0;
  let migrations: Check = { status: 'unknown', detail: 'cannot reach the database' };
  const reachable = await check('database', async () => {
    const latest = await latestMigration();
    migrations =
      latest >= expected
        ? { status: 'ok' }
        : { status: 'failed', detail: 'the database schema is older than this program; run the migrations' };
    return { status: 'ok' };
  });
  return { database: reachable, migrations };
}

const MOVING = { status: 'ok', detail: 'stored flows are being moved; some are missing until then' } as const;

/** Of flows in PostgreSQL there is nothing more to say; null. */
const moveToPostgres = async (): Promise<Check | null> => ((await countUnmoved()) === null ? null : MOVING);

async function flowStorage(): Promise<Check> {
  const { clickhouse, move } = await examineFlowStorage();
  if (clickhouse === null || 'error' in clickhouse) throw new Error(clickhouse?.error ?? 'no ClickHouse');
  return clickhouse.schema === clickhouse.newest_schema
    ? move?.is_switched
      ? MOVING
      : { status: 'ok' }
    : { status: 'failed', detail: 'the tables in ClickHouse are not those of this program' };
}

/** Sessions are signed with a key that is derived from it. Its text is never shown. */
function secretKey(): Check {
  try {
    deriveKey('health');
    return { status: 'ok' };
  } catch (error) {
    logger.warn({ err: error, check: 'secret_key' }, 'health check failed');
    return { status: 'failed', detail: 'FABRIC_SECRET_KEY is not set, so users cannot sign in' };
  }
}

/**
 * Whether requests will succeed now: the database answers and has this program's schema, the job queue answers, and
 * sessions can be signed.
 * A missing worker is reported, but does not count: pages still work, only jobs wait. Nor does a ClickHouse that does not answer:
 * agents keep their flows, and all pages without flows work.
 */
export async function readiness(): Promise<Readiness> {
  const [stores, queue, worker, flow_storage] = await Promise.all([
    database(),
    check('queue', async () => {
      await queueBackend.ping();
      return { status: 'ok' };
    }),
    check('worker', async () =>
      (await getQueue('sync.schedule').getWorkersCount()) > 0
        ? { status: 'ok' }
        : { status: 'failed', detail: 'no worker is connected; jobs are waiting' },
    ),
    env().CLICKHOUSE_URL === undefined ? moveToPostgres().catch(() => null) : check('flow_storage', flowStorage),
  ]);
  const secret_key = secretKey();
  const required = [stores.database, stores.migrations, queue, secret_key];
  return {
    status: required.every((result) => result.status === 'ok') ? 'ok' : 'failed',
    checks: { ...stores, queue, secret_key, worker, ...(flow_storage && { flow_storage }) },
  };
}

export type Liveness = { status: 'ok'; uptime_seconds: number };

/** The process runs and its event loop turns; this does not cover what the process depends on. */
export function liveness(): Liveness {
  return { status: 'ok', uptime_seconds: Math.floor(process.uptime()) };
}

/** How old the database's schema is against this program's. */
export async function examineMigrations(): Promise<'current' | 'older' | 'newer'> {
  const [latest, expected] = [await latestMigration(), journal.entries.at(-1)?.when ?? 0];
  if (latest === expected) return 'current';
  return latest < expected ? 'older' : 'newer';
}

/** What the database server reports about itself, and how many milliseconds its clock is ahead of this machine's. */
export async function examineDatabase(): Promise<DatabaseFacts & { clock_ahead_ms: number }> {
  const before = Date.now();
  const facts = await readDatabaseFacts();
  return { ...facts, clock_ahead_ms: Number(facts.now_ms) - (before + Date.now()) / 2 };
}

/** Stored credentials that none of the accepted keys opens, by what they are. */
export async function examineSecrets(
  _scope: Scope<'*'>,
): Promise<{ sealed: number; lost: { name: string; rows: number }[] }> {
  const accepted = new Set(acceptedKeys().map((key) => keyId(key)));
  let sealed = 0;
  const lost: { name: string; rows: number }[] = [];
  for (const place of SEALED_PLACES) {
    const counts = await countByKey(place);
    sealed += counts.reduce((total, { rows }) => total + rows, 0);
    const rows = counts.filter(({ key_id }) => !accepted.has(key_id)).reduce((total, one) => total + one.rows, 0);
    if (rows > 0) lost.push({ name: place.name, rows });
  }
  return { sealed, lost };
}

/** The store of flows as it is now. */
export const examineFlows = (_scope: Scope<'*'>): Promise<FlowStorageFacts> => examineFlowStorage();

/** The queues as they are now. */
export const examineJobs = (_scope: Scope<'*'>): Promise<JobsOverview> => jobsOverview(20);

/** Exporters of flow records that are enabled, those that are silent, and collectors that run. */
export async function examineExporters(
  _scope: Scope<'*'>,
): Promise<{ exporters: number; silent: number; collectors: number }> {
  const now = clock.now().toISOString();
  const [{ states }, { processes }] = await Promise.all([countExporters(now), readCollector(now)]);
  const count = (requested: (typeof states)[number]['state'][]) =>
    states.reduce((sum, { state, exporters }) => sum + (requested.includes(state) ? exporters : 0), 0);
  return {
    exporters: count(['waiting', 'receiving', 'silent']),
    silent: count(['silent']),
    collectors: processes.length,
  };
}

/** Clusters, agents and people in numbers. */
export const examineFleet = (_scope: Scope<'*'>): Promise<FleetFacts> => readFleetFacts();
