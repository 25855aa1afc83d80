import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism } from 'node:os';
import type { ExtractTablesWithRelations } from 'drizzle-orm';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { MINUTE_MS, SECOND_MS } from '@/domain/durations';
import { env } from '../lib/env';
import { lazy, processState } from '../lib/process-state';
import { guardTransactions } from './guard-transactions';
import { tolerateLostConnections } from './lost-connections';
import { prepareFrequent } from './prepare-statements';
import { separateStatements } from './separate-statements';

type Schema = Record<string, never>;
export type Db = PostgresJsDatabase<Schema>;
export type Tx = PgTransaction<PostgresJsQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>;
/** Either: repositories that read or write inside or outside a transaction take this. */
export type Executor = Db | Tx;

/**
 * Long answers have connections of their own: a client that reads slowly holds one of these, never one that pages and
 * heartbeats need. As many as there are slots for heavy requests (server/admission), so an admitted request does not
 * wait for slow readers.
 */
const STREAM_CONNECTIONS = 9;
/** Second ones, for the few long answers that are read over two connections. To wait for one is safe: its holder needs no other. */
const SECOND_STREAM_CONNECTIONS = 2;
/** The longest that one answer may take: it holds a state of the database, which keeps it from tidying up. */
export const STREAM_TIMEOUT_MS = 15 * MINUTE_MS;

/** By which PostgreSQL knows the connections of heavy statements. */
export const HEAVY_APPLICATION = 'fabric-heavy';

/** What connections are for: each use has some of its own, so that no other can take them all. */
export type DatabaseUse = 'work' | 'reads' | 'heavy';

/** Two at least: an answer that is streamed reads beside itself. */
const HEAVY_CONNECTIONS = Math.min(8, Math.max(2, availableParallelism()));
/**
 * `work` is for changes, heartbeats and workers; `reads` for light answers that a user waits for; `heavy` for those
 * that pass the gate. Few heavy statements run concurrently, each on one processor of the server, which leaves others
 * for light ones. (postgres.js omits a 0, so it is text.)
 */
const USES: Record<DatabaseUse, { connections?: number; settings: { statement_timeout: number } & Settings }> = {
  work: { settings: { statement_timeout: MINUTE_MS } },
  reads: { settings: { statement_timeout: 10 * SECOND_MS } },
  heavy: {
    connections: HEAVY_CONNECTIONS,
    settings: {
      statement_timeout: MINUTE_MS,
      max_parallel_workers_per_gather: '0',
      application_name: HEAVY_APPLICATION,
    },
  },
};

type Settings = Record<string, string | number | boolean>;

const use = new AsyncLocalStorage<DatabaseUse>();
const getCurrentUse = (): DatabaseUse => use.getStore() ?? 'work';
type Pools = {
  clients: Map<DatabaseUse, postgres.Sql>;
  streams: postgres.Sql | undefined;
  secondStreams: postgres.Sql | undefined;
};
const pools = processState<Pools>(() => ({ clients: new Map(), streams: undefined, secondStreams: undefined }));

function connect(max: number, connection: { statement_timeout: number } & Settings) {
  const url = env().DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set; `npm start` sets it for the embedded mode');
  const made = separateStatements(
    postgres(url, {
      max,
      idle_timeout: 60,
      connect_timeout: 10,
      onnotice: () => {},
      connection: {
        application_name: 'fabric',
        idle_in_transaction_session_timeout: MINUTE_MS,
        // A plan for any values would be a bad one for a range of an hour or for one of a year.
        plan_cache_mode: 'force_custom_plan',
        ...connection,
      },
    }),
  );
  made.unsafe = prepareFrequent(made.unsafe);
  guardTransactions(made);
  tolerateLostConnections();
  return made;
}

/** Has what `work` asks of the database go over the connections of a use. */
export const withDatabaseUse = <T>(requested: DatabaseUse, work: () => T): T => use.run(requested, work);

/** The connections of the present use (postgres.js), `work` when nothing else was said. They are opened by the first queries. */
export const sqlClient = (): postgres.Sql => getClient(getCurrentUse());

function getClient(requested: DatabaseUse): postgres.Sql {
  let client = pools.clients.get(requested);
  if (!client) {
    const { connections, settings } = USES[requested];
    client = connect(connections ?? env().DATABASE_POOL_SIZE, settings);
    pools.clients.set(requested, client);
  }
  return client;
}

/** For long answers the zone is UTC; JIT is off, because rows have to arrive immediately. */
const connectForStreams = (max: number) =>
  connect(max, {
    statement_timeout: STREAM_TIMEOUT_MS,
    jit: false,
    TimeZone: 'UTC',
    application_name: HEAVY_APPLICATION,
  });

/** The connections of long answers. */
export function streamClient(): postgres.Sql {
  pools.streams ??= connectForStreams(STREAM_CONNECTIONS);
  return pools.streams;
}

/** The second connections of those that are read over two. */
export function secondStreamClient(): postgres.Sql {
  pools.secondStreams ??= connectForStreams(SECOND_STREAM_CONNECTIONS);
  return pools.secondStreams;
}

const over: Record<DatabaseUse, Db> = {
  work: lazy(() => drizzle(getClient('work'), {})),
  reads: lazy(() => drizzle(getClient('reads'), {})),
  heavy: lazy(() => drizzle(getClient('heavy'), {})),
};

const joined = new AsyncLocalStorage<Db>();
const getCurrentDb = (): Db => joined.getStore() ?? over[getCurrentUse()];

/** Drizzle over `sqlClient`; rows carry the database's own snake_case names. */
export const db = new Proxy({} as Db, {
  get: (_, key) => Reflect.get(getCurrentDb(), key),
  has: (_, key) => Reflect.has(getCurrentDb(), key),
});

/** Has everything that `work` asks of `db` run inside a transaction that is open, including transactions of its own. */
export function withTransaction<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const inside = new Proxy(tx, {
    get: (target, key) =>
      key === 'transaction' ? (body: (tx: Tx) => Promise<unknown>) => body(tx) : Reflect.get(target, key),
  });
  return joined.run(inside as unknown as Db, work);
}

/** Closes the pools; the process may then end. */
export async function closeDb(): Promise<void> {
  const all = [...pools.clients.values(), pools.streams, pools.secondStreams];
  await Promise.all(all.map((client) => client?.end({ timeout: 5 })));
}
