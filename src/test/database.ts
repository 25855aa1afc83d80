import { randomBytes } from 'node:crypto';
import { afterAll, inject } from 'vitest';
import { closeDb } from '@/server/db/client';
import { runStatements } from './database-server';

/** URL of another database on the test server: one more clone of the migrated template, or an empty one. */
export async function createTestDatabase(kind: 'migrated' | 'empty' = 'migrated'): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = inject('databaseServerUrl');
  await runStatements(`${server}postgres`, [
    // Half the time of copying by way of the log; the checkpoints that it needs cost nothing here.
    `create database ${name} template ${kind === 'migrated' ? 'fabric_template' : 'template0'} strategy file_copy`,
  ]);
  return `${server}${name}`;
}

/** Drops a database made by `createTestDatabase`, also when connections are open. */
export async function dropTestDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await runStatements(`${inject('databaseServerUrl')}postgres`, [`drop database if exists ${name} with (force)`]);
}

/**
 * Setup file of the `int` project: each test file has a database of its own, and `DATABASE_URL` names it before any
 * Fabric module is loaded.
 */
export async function createFileDatabase(): Promise<void> {
  const url = await createTestDatabase();
  process.env.DATABASE_URL = url;
  afterAll(async () => {
    await closeDb();
    await dropTestDatabase(url);
  });
}
