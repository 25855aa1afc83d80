import { migrateDatabase } from '@/server/db/migrate';
import { runStatements, startDatabaseServer } from '@/test/database-server';

/**
 * A private PostgreSQL with the current schema, which this process's environment names. Import what uses the database
 * only afterwards. Durability is off: what is measured is our work, not the disk's.
 */
export async function startBenchDatabase(): Promise<{ stop(): Promise<void> }> {
  const server = await startDatabaseServer();
  await runStatements(server.url('postgres'), ['create database bench']);
  await migrateDatabase(server.url('bench'));
  Object.assign(process.env, {
    DATABASE_URL: server.url('bench'),
    FABRIC_SECRET_KEY: 'bench-secret-key-bench-secret-key-bench',
    FABRIC_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  });
  return { stop: () => server.stop() };
}
