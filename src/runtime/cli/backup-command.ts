import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BackupSecrets, type BackupTable } from '@/server/backup/manifest';
import { writeBackup } from '@/server/backup/write-backup';
import { clock } from '@/server/lib/clock';
import { keyId } from '@/server/lib/crypto';
import { env } from '@/server/lib/env';
import { findOutsideFlows } from '@/server/traffic/storage/flow-storage';
import manifest from '../../../package.json' with { type: 'json' };
import { type Command, EXIT, type Terminal, textOption, UsageError } from './command';
import { type Installation, withInstallation } from './open-installation';
import { readSecretFile } from './passphrase';
import { listMissingKeys } from './restore-keys';

const MIN_PASSPHRASE = 12;

function defaultName(encrypted: boolean): string {
  const at = clock.now().toISOString().slice(0, 19).replaceAll(':', '');
  return `fabric-${at}Z.tar.gz${encrypted ? '.age' : ''}`;
}

/** Writes beside the place and renames when it is complete: a backup with the right name is a whole one. */
async function writeFileAtomic(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w', 0o600);
    try {
      for await (const chunk of bytes) await file.appendFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function writeToStdout(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of bytes) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
}

type BackupOptions = { output: string; passphrase: string | null; includeKey: boolean };

function getBackupSecrets(
  { secretKey, previousSecretKey }: Installation,
  requested: BackupOptions,
): BackupSecrets | null {
  if (!requested.includeKey) return null;
  if (secretKey === null) throw new Error('There is no key to include: FABRIC_SECRET_KEY is not set.');
  return BackupSecrets.parse({ secret_key: secretKey, previous_secret_key: previousSecretKey });
}

/** What the backup does not hold, and how it is backed up. */
async function describeOutside(databaseUrl: string): Promise<string[]> {
  const { isClickhouse, isMoving } = await findOutsideFlows(databaseUrl);
  if (!isClickhouse) {
    return isMoving
      ? ['Flows are being moved to PostgreSQL: those that have not moved are in ClickHouse, and not in this backup.']
      : [];
  }
  const url = env().CLICKHOUSE_URL;
  const name = (url && new URL(url).pathname.slice(1)) || 'default';
  return [
    'Flows and their totals by the minute and hour are in ClickHouse, and not in this backup. It holds what has not arrived there, conversations that may continue, and totals by workload.',
    `Back up ClickHouse right after it: BACKUP DATABASE ${name} TO Disk('backups', '…'). Restore that before you start Fabric on this backup.`,
    ...(isMoving
      ? ['A move of stored flows is not finished: the two backups would not fit. Back up again when it is.']
      : []),
  ];
}

async function backUp(installation: Installation, requested: BackupOptions, terminal: Terminal): Promise<number> {
  const { secretKey, previousSecretKey } = installation;
  const tables: BackupTable[] = [];
  const unknown: string[] = [];
  const bytes = writeBackup({
    databaseUrl: installation.databaseUrl,
    programVersion: manifest.version,
    keyId: secretKey === null ? null : keyId(secretKey),
    passphrase: requested.passphrase,
    secrets: getBackupSecrets(installation, requested),
    onHeader: (header) => unknown.push(...listMissingKeys(header, [secretKey, previousSecretKey])),
    onTable: (table) => {
      tables.push(table);
      if (table.rows > 0) terminal.note(`${table.name}: ${table.rows} rows`);
    },
  });
  if (requested.output === '-') await writeToStdout(bytes);
  else await writeFileAtomic(requested.output, bytes);
  const rows = tables.reduce((total, table) => total + table.rows, 0);
  terminal.note(`${tables.length} tables, ${rows} rows.`);
  if (!requested.includeKey) {
    terminal.note(
      'The backup does not contain FABRIC_SECRET_KEY. Store the key separately: without it, stored credentials are lost.',
    );
  }
  if (unknown.length > 0) {
    terminal.note(
      `Stored credentials are encrypted with a key that this command does not have (id ${unknown.join(', ')}): a restore requires it, or --accept-lost-secrets. If FABRIC_SECRET_KEY is not set here, set it as for web.`,
    );
  }
  for (const line of await describeOutside(installation.databaseUrl)) terminal.note(line);
  if (requested.output !== '-') terminal.print(requested.output);
  return EXIT.ok;
}

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Back up the whole installation while it is running.',
  help: `  fabric backup [--output FILE] [--passphrase-file FILE] [--include-key]

A consistent state of the database in a gzipped tar archive. The same file works for the embedded and the production mode.
Queues are not included: they contain no persistent data. Prints the name of the file.

--output FILE           file to write; - for standard output. Default: fabric-<time>.tar.gz in the current directory
--passphrase-file FILE  encrypt it as an age file; the first line of FILE is the passphrase (- for standard input)
--include-key           include FABRIC_SECRET_KEY. Requires a passphrase`,
  options: {
    output: { type: 'string', short: 'o' },
    'passphrase-file': { type: 'string' },
    'include-key': { type: 'boolean' },
  },
  positionals: [],
  async run({ values, terminal }) {
    const passphraseFile = textOption(values, 'passphrase-file');
    const passphrase = passphraseFile === null ? null : readSecretFile(passphraseFile, 'passphrase');
    const includeKey = values['include-key'] === true;
    if (includeKey && passphrase === null) throw new UsageError('--include-key requires --passphrase-file.');
    if (passphrase !== null && passphrase.length < MIN_PASSPHRASE) {
      throw new UsageError(`The passphrase must have at least ${MIN_PASSPHRASE} characters.`);
    }
    const given = textOption(values, 'output');
    const output = given === '-' ? given : resolve(given ?? defaultName(passphrase !== null));
    if (output !== '-' && existsSync(output)) throw new Error(`${output} already exists.`);
    return withInstallation({}, terminal, (installation) =>
      backUp(installation, { output, passphrase, includeKey }, terminal),
    );
  },
};
