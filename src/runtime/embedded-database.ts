import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { initializePostgres } from './postgres/initialize';
import { stopOrphans } from './postgres/orphans';
import { findPostgresProgram, type PostgresProgram } from './postgres/program';
import { databaseUrl, findFreePort, type PostgresServer, startPostgres } from './postgres/server';
import { availableMemory, postgresSettings } from './postgres/settings';
import { ensureSecret, randomSecret } from './secrets';

export type EmbeddedDatabase = {
  url: string;
  pid(): number;
  /** Fast shutdown; resolves when the process is gone. */
  stop(): Promise<void>;
};

type Log = (line: string) => void;

/** The one database of a private server. */
const DATABASE = 'fabric';

/** The major version of an initialized directory, or null when there is none. */
function readStoredVersion(directory: string): string | null {
  const file = join(directory, 'PG_VERSION');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

function assertVersion(directory: string, program: PostgresProgram): void {
  const stored = readStoredVersion(directory);
  if (stored !== program.major) {
    throw new Error(
      `${directory} was created by PostgreSQL ${stored}, this release has ${program.major}. Create a backup with the release that created it (fabric backup --include-key), move the data directory away, and restore the backup here (fabric restore).`,
    );
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const client = postgres(url, { max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => {} });
  try {
    const [row] = await client`select 1 from pg_database where datname = ${DATABASE}`;
    if (!row) await client.unsafe(`create database ${DATABASE}`);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/**
 * Starts the private PostgreSQL of a data directory, making it on the first run and clearing up after a crash, and
 * starts it again whenever it ends by itself, on the same port, so that clients only see a short break.
 * @param dataDirectory absolute; the caller holds its lock
 */
export async function startEmbeddedDatabase(dataDirectory: string, log: Log): Promise<EmbeddedDatabase> {
  const program = findPostgresProgram(join(dataDirectory, 'postgresql'));
  const directory = join(dataDirectory, 'postgres');
  const password = ensureSecret(dataDirectory, 'database_password', randomSecret);
  if (!existsSync(directory)) {
    log(`creating the database${program.account ? ` as user ${program.account.name}` : ''}`);
    await initializePostgres(program, directory, { password });
  }
  assertVersion(directory, program);
  const orphans = await stopOrphans(directory);
  if (orphans > 0) log(`terminated ${orphans} PostgreSQL processes left over from a killed run`);

  const settings = postgresSettings(availableMemory());
  let stopping = false;
  let server: PostgresServer;
  const start = (port: number) => startPostgres(program, { directory, port, settings, onLine: log });

  const watch = async (): Promise<void> => {
    for (let failures = 0; ; ) {
      const { code, signal } = await server.exited;
      if (stopping) return;
      log(`PostgreSQL ended (${signal ?? code}); restarting`);
      for (;;) {
        try {
          // After kill -9 of the main process its children need a moment to notice.
          await stopOrphans(directory);
          if (stopping) return;
          server = await start(server.port);
          if (stopping) await server.stop('fast');
          else log('PostgreSQL is running again');
          failures = 0;
          break;
        } catch (error) {
          failures += 1;
          log(`PostgreSQL did not start (attempt ${failures}): ${error instanceof Error ? error.message : error}`);
          await delay(Math.min(500 * 2 ** failures, 30_000));
          if (stopping) return;
        }
      }
    }
  };

  server = await start(await findFreePort());
  const watching = watch();
  const stop = async () => {
    stopping = true;
    await server.stop('fast');
    await watching;
  };
  try {
    await ensureDatabase(databaseUrl(server.port, password, 'postgres'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: databaseUrl(server.port, password, DATABASE), pid: () => server.pid, stop };
}
