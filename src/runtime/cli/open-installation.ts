import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closeDb } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { acquireDataLock } from '../data-lock';
import { startEmbeddedDatabase } from '../embedded-database';
import { databaseUrl } from '../postgres/server';
import { readSecret } from '../secret-files';
import type { Terminal } from './command';

function read(...path: string[]): string | null {
  try {
    return readFileSync(join(...path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** URL of the private database that a running service keeps in this data directory; null when none runs. */
function findRunningDatabaseUrl(dataDirectory: string): string | null {
  // PostgreSQL writes its port into the fourth line and removes the file when it ends.
  const port = Number(read(dataDirectory, 'postgres', 'postmaster.pid')?.split('\n')[3]);
  const password = read(dataDirectory, 'secrets', 'database_password')?.trim();
  return port > 0 && password ? databaseUrl(port, password, 'fabric') : null;
}

/** The installation that a command works on. */
export type Installation = {
  databaseUrl: string;
  /** The data directory of the embedded mode; null with an external database. */
  dataDirectory: string | null;
  secretKey: string | null;
  /** The key before the present one, while a rotation is under way. */
  previousSecretKey: string | null;
  /** Whether the service runs on it, as far as that can be known: one with a database of its own is taken to. */
  running: boolean;
  close(): Promise<void>;
};

type OpenOptions = {
  /** Nothing else may run on it: in the embedded mode the service must be stopped. */
  exclusive?: boolean;
  /** Make an embedded installation where there is none. */
  create?: boolean;
};

const NO_INSTALLATION =
  'There is no installation in this directory. Set FABRIC_DATA_DIR to the data directory of an installation, or set DATABASE_URL.';

/** What a user other than the owner leaves behind, the service cannot read afterwards. */
function assertOwner(directory: string): void {
  const owner = statSync(directory).uid;
  const user = process.getuid?.() ?? owner;
  if (user !== owner) {
    throw new Error(
      `${directory} belongs to another user (${owner}). Run the command as that user: sudo -u '#${owner}' …`,
    );
  }
}

async function openEmbedded(directory: string, requested: OpenOptions, terminal: Terminal): Promise<Installation> {
  if (!requested.create && !existsSync(join(directory, 'postgres')))
    throw new Error(`${directory}: ${NO_INSTALLATION}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  assertOwner(directory);
  const { FABRIC_SECRET_KEY: key, FABRIC_PREVIOUS_SECRET_KEY: previous } = env();
  const secrets = () => ({
    secretKey: key ?? readSecret(directory, 'secret_key'),
    previousSecretKey: previous ?? (key === undefined ? readSecret(directory, 'previous_secret_key') : null),
  });
  const lock = await acquireDataLock(directory);
  if ('holder' in lock) {
    const holder = lock.holder.pid ? ` (process ${lock.holder.pid})` : '';
    if (requested.exclusive) throw new Error(`Fabric is running on ${directory}${holder}. Stop it first.`);
    const databaseUrl = findRunningDatabaseUrl(directory);
    if (!databaseUrl)
      throw new Error(`Fabric is starting or stopping on ${directory}${holder}. Try again in a moment.`);
    return { databaseUrl, dataDirectory: directory, ...secrets(), running: true, close: async () => {} };
  }
  try {
    const database = await startEmbeddedDatabase(directory, (line) => terminal.note(`postgres | ${line}`));
    return {
      databaseUrl: database.url,
      dataDirectory: directory,
      ...secrets(),
      running: false,
      async close() {
        await database.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens the installation of the environment: with `DATABASE_URL` that database, else the embedded one in
 * `FABRIC_DATA_DIR`, whose PostgreSQL is started when the service does not run.
 * @throws Error with one line naming the remedy
 */
export async function openInstallation(requested: OpenOptions, terminal: Terminal): Promise<Installation> {
  const { DATABASE_URL, FABRIC_DATA_DIR, FABRIC_SECRET_KEY, FABRIC_PREVIOUS_SECRET_KEY } = env();
  if (!DATABASE_URL) return openEmbedded(resolve(FABRIC_DATA_DIR), requested, terminal);
  return {
    databaseUrl: DATABASE_URL,
    dataDirectory: null,
    secretKey: FABRIC_SECRET_KEY ?? null,
    previousSecretKey: FABRIC_PREVIOUS_SECRET_KEY ?? null,
    running: true,
    close: async () => {},
  };
}

/** Opens an installation for a command, and closes it whatever happens. */
export async function withInstallation<T>(
  requested: OpenOptions,
  terminal: Terminal,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(requested, terminal);
  try {
    return await work(installation);
  } finally {
    await installation.close();
  }
}

/** Lets services of this process work on an installation, and closes their connections afterwards. */
export async function withServices<T>(installation: Installation, work: () => Promise<T>): Promise<T> {
  env().DATABASE_URL = installation.databaseUrl;
  env().FABRIC_SECRET_KEY = installation.secretKey ?? undefined;
  env().FABRIC_PREVIOUS_SECRET_KEY = installation.previousSecretKey ?? undefined;
  try {
    return await work();
  } finally {
    await closeDb();
  }
}
