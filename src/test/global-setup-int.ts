import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrateDatabase } from '@/server/db/migrate';
import { runStatements, startDatabaseServer } from './database-server';
import { hasRedis, startRedisServer } from './redis-server';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the test server with the database left out: append its name. */
    databaseServerUrl: string;
    /** URL of a real Redis, or null when this machine has none (the tests of it are then skipped). */
    redisServerUrl: string | null;
  }
}

/** More than all databases and temporary files of a run need. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Puts the temporary files of the run into memory if there is enough of it and programs may run there: each test file has its
 * own database of a thousand files, and ext4 needs a second to create and delete it. @returns how to remove them
 */
function keepInMemory(): () => void {
  if (process.env.TMPDIR) return () => {};
  let directory: string;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < ENOUGH_BYTES) return () => {};
    directory = mkdtempSync('/dev/shm/fabric-int-');
  } catch {
    return () => {};
  }
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  const script = join(directory, 'may-run');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(script).status !== 0) {
    remove();
    return () => {};
  }
  // Some tests run programs as other users.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return () => {
    delete process.env.TMPDIR;
    remove();
  };
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
