import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type postgres from 'postgres';
import journal from '../../../drizzle/meta/_journal.json';
import { withMigrationLock } from './migration-lock';
import { seedBuiltIns } from './seed-built-ins';

/**
 * The `drizzle/` folder, found upwards from this file: it is next to `src/` in a checkout and next to `dist/` in an
 * image, so the same lookup serves sources and bundles.
 * @throws Error when no parent directory holds it.
 */
function migrationsFolder(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const folder = join(directory, 'drizzle');
    if (existsSync(join(folder, 'meta', '_journal.json'))) return folder;
    const parent = dirname(directory);
    if (parent === directory) throw new Error('The folder drizzle/ with the database migrations is missing');
    directory = parent;
  }
}

async function assertComplete(client: postgres.Sql): Promise<void> {
  const rows = await client<{ created_at: string }[]>`select created_at::text from drizzle.__drizzle_migrations`;
  const applied = new Set(rows.map((row) => Number(row.created_at)));
  const missing = journal.entries.find((entry) => !applied.has(entry.when));
  // drizzle applies what is younger than the youngest applied one; a migration merged late is skipped without a word.
  if (missing) throw new Error(`Migration ${missing.tag} was not applied, but a later one was. Generate it again.`);
}

/**
 * Brings a database to this program's schema and its built-in rows. Safe to run from any number of processes
 * concurrently and again at any time: one does the work, the others wait for it and find nothing left to do.
 * @param url `postgres://…` of the database
 * @throws Error of PostgreSQL when it cannot be reached, is older than 15, or a migration fails (nothing is kept
 * then).
 */
export async function migrateDatabase(url: string): Promise<void> {
  await withMigrationLock(url, async (client) => {
    const [server] = await client<{ version: number; text: string }[]>`
      select current_setting('server_version_num')::int as version, current_setting('server_version') as text`;
    if (server && server.version < 150_000) {
      throw new Error(`PostgreSQL ${server.text} is too old: Fabric requires 15 or later`);
    }
    const db: PostgresJsDatabase = drizzle(client);
    await applyMigrations(db, { migrationsFolder: migrationsFolder() });
    await assertComplete(client);
    await seedBuiltIns(db);
  });
}

/** One migration of this program: when it was made (its identity), and its statements. */
export type MigrationStep = { at: number; hash: string; statements: readonly string[] };

/** All migrations of this program, oldest first. */
export function migrationSteps(): MigrationStep[] {
  return readMigrationFiles({ migrationsFolder: migrationsFolder() }).map(({ folderMillis, hash, sql }) => ({
    at: folderMillis,
    hash,
    statements: sql,
  }));
}
