import { spawn } from 'node:child_process';
import { closeSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { guard } from '../child-process';
import { directoryHandle, ensureDirectoryOwner } from './directory';
import { DATABASE_USER } from './initialize';
import { POSTGRES_ENVIRONMENT, type PostgresProgram } from './program';

export type PostgresServer = {
  pid: number;
  port: number;
  /** Resolves when the process is gone, however that came. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /**
   * Ends it: `fast` rolls back and checkpoints, `immediate` leaves the rest to crash recovery. A `fast` that a session holds up continues as
   * `immediate` after `stopTimeoutMs`.
   */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
};

type Options = {
  /** Absolute path of an initialized directory. */
  directory: string;
  port: number;
  settings: Readonly<Record<string, string>>;
  onLine: (line: string) => void;
  readyTimeoutMs?: number;
  stopTimeoutMs?: number;
};

/** The `postgres://` URL of a database of a private server. */
export function databaseUrl(port: number, password: string, database: string): string {
  return `postgres://${DATABASE_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** A TCP port of the loopback interface that nothing listens on at this moment. */
export async function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function isReady(directory: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

/**
 * Starts PostgreSQL on the loopback interface and resolves when it accepts connections.
 * @throws Error with the server's last lines when it ends before, or is not ready within `readyTimeoutMs` (60 s; crash
 *   recovery counts).
 */
export async function startPostgres(program: PostgresProgram, options: Options): Promise<PostgresServer> {
  const { directory, port, settings, onLine, readyTimeoutMs = 60_000, stopTimeoutMs = 30_000 } = options;
  ensureDirectoryOwner(directory, program.account);
  const handle = directoryHandle(directory, program.account);
  const flags = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(program.bin, 'postgres'), ['-D', handle.argument, ...flags], {
    cwd: '/',
    env: POSTGRES_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe', ...handle.stdio],
    // A session of its own: Ctrl-C in a terminal reaches the supervisor only, which ends things in order.
    detached: true,
    ...handle.credentials,
  });
  for (const fd of handle.stdio) closeSync(fd);
  const lastLines: string[] = [];
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
      onLine(line);
    });
  }
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('error', (error) => {
      lastLines.push(error.message);
      resolve({ code: null, signal: null });
    });
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  let running = child.pid !== undefined;
  const pid = child.pid ?? 0;
  const guardian = running ? guard(pid, 'INT') : undefined;
  void exited.then(() => {
    running = false;
    guardian?.kill('SIGKILL');
  });

  const deadline = Date.now() + readyTimeoutMs;
  while (running && !isReady(directory, pid)) {
    if (Date.now() > deadline) {
      child.kill('SIGQUIT');
      await exited;
      throw new Error(`PostgreSQL was not ready within ${readyTimeoutMs / 1000} s: ${lastLines.join('\n')}`);
    }
    await Promise.race([delay(20), exited]);
  }
  if (!running) throw new Error(`PostgreSQL did not start: ${lastLines.join('\n')}`);

  return {
    pid,
    port,
    exited,
    async stop(mode) {
      if (running && mode === 'fast') {
        child.kill('SIGINT');
        await Promise.race([exited, delay(stopTimeoutMs, undefined, { ref: false })]);
        if (running) onLine(`did not end within ${stopTimeoutMs / 1000} s; ending it immediately`);
      }
      if (running) child.kill('SIGQUIT');
      await exited;
    },
  };
}
