import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '@/server/db/migrate';
import { runStatements, startDatabaseServer } from './database-server';
import { keepInMemory } from './keep-in-memory';
import { hasRedis, startRedisServer } from './redis-server';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the test server with the database left out: append its name. */
    databaseServerUrl: string;
    /** URL of a real Redis, or null when this machine has none (the tests of it are then skipped). */
    redisServerUrl: string | null;
  }
}

/** One PostgreSQL and one Redis per run; the migrations are applied once, to a template that every test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!hasRedis() && process.env.CI === 'true')
    throw new Error('redis-server is missing: install it (CI skips nothing)');
  const removeFiles = keepInMemory();
  const [database, redis] = await Promise.all([startDatabaseServer(), hasRedis() ? startRedisServer() : null]);
  await runStatements(database.url('postgres'), ['create database fabric_template']);
  await migrateDatabase(database.url('fabric_template'));
  project.provide('databaseServerUrl', database.url(''));
  project.provide('redisServerUrl', redis?.url ?? null);
  return async () => {
    await Promise.all([database.stop(), redis?.stop()]);
    removeFiles();
  };
}
