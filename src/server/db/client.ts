import type { ExtractTablesWithRelations } from 'drizzle-orm';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { env } from '../lib/env';
import { lazy } from '../lib/lazy';
import { guardTransactions } from './guard-transactions';
import { outliveLostConnections } from './lost-connections';

type Schema = Record<string, never>;
export type Db = PostgresJsDatabase<Schema>;
export type Tx = PgTransaction<PostgresJsQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>;
/** Either: repositories that read or write inside or outside a transaction take this. */
export type Executor = Db | Tx;

const MINUTE_MS = 60_000;
/**
 * Long answers have connections of their own: a client that reads slowly holds one of these few, never one that pages and
 * heartbeats wait for. Whoever comes when all are taken waits.
 */
const STREAM_CONNECTIONS = 3;
/** The longest that one answer may take: it holds a state of the database, which keeps it from tidying up. */
const STREAM_TIMEOUT_MS = 15 * MINUTE_MS;

let client: postgres.Sql | undefined;
let streams: postgres.Sql | undefined;

function connect(max: number, connection: { statement_timeout: number } & Record<string, string | number | boolean>) {
  const url = env().DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set; `npm start` sets it for the embedded mode');
  const made = postgres(url, {
    max,
    idle_timeout: 60,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: 'fabric', idle_in_transaction_session_timeout: MINUTE_MS, ...connection },
  });
  guardTransactions(made);
  outliveLostConnections();
  return made;
}

/** The connection pool of this process (postgres.js). It connects on the first query. */
export function sqlClient(): postgres.Sql {
  client ??= connect(env().DATABASE_POOL_SIZE, { statement_timeout: MINUTE_MS });
  return client;
}

/** The connections of long answers. Their zone is UTC; no machine code is made for them: rows shall come at once. */
export function streamClient(): postgres.Sql {
  streams ??= connect(STREAM_CONNECTIONS, {
    statement_timeout: STREAM_TIMEOUT_MS,
    jit: false,
    TimeZone: 'UTC',
  });
  return streams;
}

/** Drizzle over `sqlClient`; rows carry the database's own snake_case names. */
export const db = lazy(() => drizzle(sqlClient(), {})) as Db;

/** Closes the pools; the process may then end. */
export async function closeDb(): Promise<void> {
  await Promise.all([client?.end({ timeout: 5 }), streams?.end({ timeout: 5 })]);
}
