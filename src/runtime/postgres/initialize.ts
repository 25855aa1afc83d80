import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { guard } from '../child-process';
import { directoryHandle, ensureDirectoryOwner } from './directory';
import { POSTGRES_ENVIRONMENT, type PostgresProgram } from './program';

/** The superuser role of a private PostgreSQL. */
export const DATABASE_USER = 'fabric';

type Options = { password: string; sync?: boolean };

async function runInitdb(program: PostgresProgram, directory: string, sync: boolean): Promise<void> {
  const handle = directoryHandle(directory, program.account);
  const child = spawn(
    join(program.bin, 'initdb'),
    [
      ...['-D', `${handle.argument}/data`, `--pwfile=${handle.argument}/password`, `--username=${DATABASE_USER}`],
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Sorting and case rules come with PostgreSQL, not with the host's libc: an OS upgrade cannot corrupt an index.
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-locale'],
      '--no-instructions',
      ...(sync ? [] : ['--no-sync']),
    ],
    {
      cwd: '/',
      env: POSTGRES_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe', ...handle.stdio],
      ...handle.credentials,
    },
  );
  for (const fd of handle.stdio) closeSync(fd);
  const guardian = child.pid === undefined ? undefined : guard(child.pid, 'TERM');
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      guardian?.kill('SIGKILL');
      if (code === 0) resolve();
      else reject(new Error(`initdb failed (${code}): ${errors.trim()}`));
    });
  });
}

/**
 * Makes a new database directory. It is built beside its place and renamed when complete, so that a crash at any
 * moment leaves either nothing or a whole one. Left-overs of such crashes are removed.
 * @param target absolute path; must not exist
 */
export async function initializePostgres(program: PostgresProgram, target: string, options: Options): Promise<void> {
  const parent = dirname(target);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const prefix = `${basename(target)}.init-`;
  for (const name of readdirSync(parent)) {
    // The initdb of a killed run may still be cleaning up after itself.
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 10 });
  }
  const work = mkdtempSync(join(parent, prefix));
  writeFileSync(join(work, 'password'), `${options.password}\n`, { mode: 0o600 });
  ensureDirectoryOwner(work, program.account);
  try {
    await runInitdb(program, work, options.sync ?? true);
    if (existsSync(target)) throw new Error(`${target} appeared while it was being created`);
    renameSync(join(work, 'data'), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
