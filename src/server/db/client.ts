import type { ExtractTablesWithRelations } from 'drizzle-orm';
import type { PgTransaction } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { env } from '../lib/env';
import { lazy } from '../lib/lazy';
import { guardTransactions } from './guard-transactions';

type Schema = Record<string, never>;
export type Db = PostgresJsDatabase<Schema>;
export type Tx = PgTransaction<PostgresJsQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>;
/** Either: repositories that read or write inside or outside a transaction take this. */
export type Executor = Db | Tx;

let client: postgres.Sql | undefined;

/** The connection pool of this process (postgres.js). It connects on the first query. */
export function sqlClient(): postgres.Sql {
  if (client) return client;
  const url = env().DATABASE_URL;
  if (!url) throw new Error('DATABASE_URL is not set; `npm start` sets it for the embedded mode');
  client = postgres(url, {
    max: env().DATABASE_POOL_SIZE,
    idle_timeout: 60,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: 'fabric', statement_timeout: 60_000, idle_in_transaction_session_timeout: 60_000 },
  });
  guardTransactions(client);
  return client;
}

/** Drizzle over `sqlClient`; rows carry the database's own snake_case names. */
export const db = lazy(() => drizzle(sqlClient(), {})) as Db;

/** Closes the pool; the process may then end. */
export async function closeDb(): Promise<void> {
  await client?.end({ timeout: 5 });
}
