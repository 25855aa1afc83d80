import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { clock } from '../lib/clock';
import { connect, disconnect } from './connect';
import { copyOut } from './copy';
import { encrypt } from './encryption';
import {
  type BackupHeader,
  type BackupManifest,
  type BackupSecrets,
  type BackupTable,
  FORMAT_VERSION,
  HEADER_FILE,
  MANIFEST_FILE,
  PART_BYTES,
  SECRETS_FILE,
  tableFile,
} from './manifest';
import { columnList, quote, readContent, readKeyIds, readSequences, readTables, type TableShape } from './tables';
import { type AddFile, createTar } from './tar';

export type BackupOptions = {
  databaseUrl: string;
  programVersion: string;
  /** Id of the present key, when it is known. */
  keyId: string | null;
  /** Encrypts the whole file. */
  passphrase: string | null;
  /** Puts the keys into the file, too. Needs a passphrase. */
  secrets: BackupSecrets | null;
  onHeader?: (header: BackupHeader) => void;
  onTable?: (table: BackupTable) => void;
};

const json = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

async function readHeader(client: Client, options: BackupOptions, at: Date): Promise<BackupHeader> {
  const { rows: present } = await client.query<{ present: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as present`,
  );
  if (!present[0]?.present)
    throw new Error('This database contains no Fabric installation, so there is nothing to back up.');
  const { rows: migrations } = await client.query<{ at: string }>(
    'select created_at::text as at from drizzle.__drizzle_migrations order by created_at',
  );
  const { rows } = await client.query<{ version: string; instance_id: string | null }>(`
    select current_setting('server_version') as version,
      (select value ->> 'id' from system_settings where key = 'instance') as instance_id`);
  return {
    format: 'fabric-backup',
    format_version: FORMAT_VERSION,
    created_at: at.toISOString(),
    program_version: options.programVersion,
    postgresql_version: rows[0]?.version ?? '',
    instance_id: rows[0]?.instance_id ?? null,
    migrations: migrations.map(({ at }) => Number(at)),
    key_id: options.keyId,
    key_ids: await readKeyIds(client),
    includes_key: options.secrets !== null,
  };
}

/** Cuts what COPY sends into files; each ends with a row. */
async function* files(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of rows) {
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    const all = Buffer.concat(held, bytes);
    // A line break inside a value is written as \n: this byte is the end of a row and nothing else.
    const end = all.lastIndexOf(0x0a) + 1;
    if (end > 0) yield all.subarray(0, end);
    held = [all.subarray(end)];
    bytes = all.length - end;
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}

/** Adds the rows of a table; returns its entry for the manifest. */
async function addTable(client: Client, table: TableShape, add: AddFile): Promise<BackupTable> {
  const content = await readContent(client, table);
  const hash = createHash('sha256');
  let bytes = 0;
  let part = 0;
  const rows = copyOut(client, `copy (select ${columnList(table.columns)} from ${quote(table.name)}) to stdout`);
  for await (const file of files(rows)) {
    part += 1;
    bytes += file.length;
    hash.update(file);
    await add(tableFile(table.name, part), file);
  }
  return { ...table, ...content, bytes, sha256: hash.digest('hex') };
}

/** Adds the files of one state of the database. */
async function addInstallation(client: Client, options: BackupOptions, at: Date, add: AddFile): Promise<void> {
  await client.query('begin transaction isolation level repeatable read read only');
  const header = await readHeader(client, options, at);
  const tables = await readTables(client);
  // Prevents altering or dropping any of them until all are read; reading and writing continue.
  await client.query(`lock table ${tables.map(({ name }) => quote(name)).join(', ')} in access share mode`);
  options.onHeader?.(header);
  await add(HEADER_FILE, json(header));
  if (options.secrets) await add(SECRETS_FILE, json(options.secrets));
  const manifest: BackupManifest = { tables: [], sequences: [] };
  for (const table of tables) {
    const written = await addTable(client, table, add);
    manifest.tables.push(written);
    options.onTable?.(written);
  }
  manifest.sequences = await readSequences(client);
  await client.query('commit');
  await add(MANIFEST_FILE, json(manifest));
}

/**
 * A backup of the whole installation while it runs, as a stream: one state of the database in a gzipped tar archive, with a
 * manifest at its end, encrypted when there is a passphrase. Queues are not in it: they hold no facts.
 * @throws Error when the database holds no installation or cannot be read; what was streamed is worthless then
 */
export async function* writeBackup(options: BackupOptions): AsyncGenerator<Buffer> {
  if (options.secrets && options.passphrase === null)
    throw new Error('The key can only be included in an encrypted backup.');
  const client = await connect(options.databaseUrl, 'backup');
  try {
    const at = clock.now();
    const archive = createTar(at, (add) => addInstallation(client, options, at, add));
    // What fails is thrown where the bytes are taken.
    const packed: AsyncIterable<Buffer> = pipeline(archive, createGzip({ level: 4 }), () => {});
    yield* options.passphrase === null ? packed : encrypt(packed, options.passphrase);
  } finally {
    await disconnect(client);
  }
}
