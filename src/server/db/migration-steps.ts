import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrationsFolder } from './migrations-folder';

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
