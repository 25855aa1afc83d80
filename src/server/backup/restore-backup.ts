import { Readable } from 'node:stream';
import type { Client } from 'pg';
import { type MigrationStep, migrateDatabase, migrationSteps } from '../db/migrate';
import { MIGRATION_LOCK } from '../db/migration-lock';
import { connect, disconnect } from './connect';
import { copyIn } from './copy';
import { type BackupManifest, type BackupTable, TABLE_FILE } from './manifest';
import { backupFiles, type CheckedBackup } from './read-backup';
import { applyMigrationSteps, dropInstallation, stripTables } from './rebuild-schema';
import { type RestoreTarget, readRestoreTarget } from './restore-target';
import { columnList, quote, readContent, readTables } from './tables';

export type RestoreOptions = {
  databaseUrl: string;
  path: string;
  passphrase: string | null;
  /** What `checkBackup` found in the file. */
  backup: CheckedBackup;
  /** Removes an installation that is in use. */
  replace: boolean;
  onTable?: (table: BackupTable) => void;
  /** The database holds the backup now. What fails afterwards does not undo that. */
  onRestored?: () => void;
};

/**
 * The migrations that lead to the backup's schema, and those after it.
 * @throws Error when the backup is of a later release
 */
function splitMigrations(at: readonly number[]): { before: MigrationStep[]; after: MigrationStep[] } {
  const steps = migrationSteps();
  const known = new Set(steps.map((step) => step.at));
  if (!at.every((time) => known.has(time))) {
    throw new Error('The backup is from a later release: its database has migrations that this release does not have.');
  }
  const had = new Set(at);
  const before = steps.filter((step) => had.has(step.at));
  return { before, after: steps.slice(before.length) };
}

/** @throws Error naming the remedy when the backup may not go there */
export function assertRestorable({ state, connected }: RestoreTarget, replace: boolean): void {
  if (state === 'foreign') {
    throw new Error('This database contains tables that do not belong to Fabric. Restore into a separate database.');
  }
  if (state === 'used' && !replace) {
    throw new Error('This installation is in use. Restore into an empty one, or use --replace to delete all its data.');
  }
  if (connected > 0) {
    throw new Error(`Fabric is running on this database (${connected} connections). Stop web and workers first.`);
  }
}

async function assertSameTables(client: Client, manifest: BackupManifest): Promise<void> {
  const here = new Map((await readTables(client)).map(({ name, columns }) => [name, columns.join()]));
  for (const { name, columns } of manifest.tables) {
    if (here.get(name) !== columns.join())
      throw new Error(`The table ${name} in the backup has a different structure than here.`);
    here.delete(name);
  }
  const [missing] = here.keys();
  if (missing) throw new Error(`The table ${missing} is missing from the backup.`);
}

async function loadTables(client: Client, { path, passphrase }: RestoreOptions, manifest: BackupManifest) {
  const columnsOf = new Map(manifest.tables.map(({ name, columns }) => [name, columns]));
  for await (const { name: file, content } of backupFiles(path, passphrase)) {
    const name = TABLE_FILE.exec(file)?.[1];
    if (!name) continue;
    const columns = columnsOf.get(name);
    if (!columns) throw new Error(`The table ${name} is not in the manifest: the file was changed during the restore.`);
    await copyIn(client, `copy ${quote(name)} (${columnList(columns)}) from stdin`, Readable.from([content]));
  }
}

async function assertSameContent(
  client: Client,
  { tables }: BackupManifest,
  onTable: RestoreOptions['onTable'],
): Promise<void> {
  for (const table of tables) {
    const found = await readContent(client, table);
    if (found.rows !== table.rows || found.digest !== table.digest) {
      throw new Error(`The table ${table.name} differs from the backup (${found.rows} of ${table.rows} rows).`);
    }
    onTable?.(table);
  }
}

/** One transaction: after a failure anywhere the database is as it was. */
async function replaceAll(client: Client, options: RestoreOptions): Promise<void> {
  const { header, manifest } = options.backup;
  const { before, after } = splitMigrations(header.migrations);
  await client.query('begin');
  await client.query(`set local maintenance_work_mem = '256MB'`);
  await dropInstallation(client);
  await applyMigrationSteps(client, before);
  await assertSameTables(client, manifest);
  const putBack = await stripTables(client);
  // Migrations write rows of their own.
  await client.query(`truncate ${manifest.tables.map(({ name }) => quote(name)).join(', ')}`);
  await loadTables(client, options, manifest);
  await putBack();
  await assertSameContent(client, manifest, options.onTable);
  for (const { name, last_value, is_called } of manifest.sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [quote(name), last_value, is_called]);
  }
  await applyMigrationSteps(client, after);
  await client.query('commit');
}

/** @throws Error when the backup is of a later release, which this one cannot restore */
export function assertKnownRelease({ header }: CheckedBackup): void {
  splitMigrations(header.migrations);
}

/** What a restore would find there. @throws Error when it would be refused */
export async function checkRestoreTarget(databaseUrl: string, replace: boolean): Promise<RestoreTarget> {
  const client = await connect(databaseUrl, 'restore');
  try {
    const target = await readRestoreTarget(client);
    assertRestorable(target, replace);
    return target;
  } finally {
    await disconnect(client);
  }
}

/**
 * Puts a backup in the place of what a database holds: all of it or, after any error, nothing. The schema is made as it was
 * when the backup was written, rows are loaded and compared with it, then the later migrations of this program follow.
 * @throws Error when the database is in use, the backup is of a later release, or what was loaded is not what was written
 */
export async function restoreBackup(options: RestoreOptions): Promise<void> {
  const client = await connect(options.databaseUrl, 'restore');
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      MIGRATION_LOCK,
    ]);
    if (!rows[0]?.locked)
      throw new Error('Another process is updating this database. Try again when the update has finished.');
    assertRestorable(await readRestoreTarget(client), options.replace);
    await replaceAll(client, options);
    options.onRestored?.();
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await client.query('analyze');
  } finally {
    await disconnect(client);
  }
  await migrateDatabase(options.databaseUrl);
}
