import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { DATABASE_USER, initializePostgres } from '@/runtime/postgres/initialize';
import { findPostgresProgram } from '@/runtime/postgres/program';
import { databaseUrl, findFreePort, startPostgres } from '@/runtime/postgres/server';

/** Speed instead of safety: the data lives as long as the test run. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_connections: '200',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  // Its workers would only be woken; what is read is in memory.
  io_method: 'sync',
  jit: 'off',
  log_min_messages: 'fatal',
};

export type DatabaseServer = { url(database: string): string; stop(): Promise<void> };

/** A real PostgreSQL in a temporary directory, gone after `stop`. */
export async function startDatabaseServer(): Promise<DatabaseServer> {
  const root = mkdtempSync(join(tmpdir(), 'fabric-test-'));
  const password = randomBytes(16).toString('hex');
  const program = findPostgresProgram(join(root, 'bin'));
  const directory = join(root, 'postgres');
  await initializePostgres(program, directory, { password, sync: false });
  const server = await startPostgres(program, {
    directory,
    port: await findFreePort(),
    settings: SETTINGS,
    onLine: () => {},
  });
  // Thousands of connections prove that they know the password, for which both ends would compute 4,096 hashes.
  await runStatements(databaseUrl(server.port, password, 'postgres'), [
    'set scram_iterations = 1',
    `alter role ${DATABASE_USER} password '${password}'`,
  ]);
  return {
    url: (database) => databaseUrl(server.port, password, database),
    async stop() {
      await server.stop('immediate');
      rmSync(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Runs statements one after the other outside a transaction (CREATE DATABASE and the like). */
export async function runStatements(url: string, statements: readonly string[]): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    for (const statement of statements) await client.unsafe(statement);
  } finally {
    await client.end({ timeout: 5 });
  }
}
