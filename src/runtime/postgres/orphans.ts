import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

function linuxProcesses(directory: string): number[] {
  const { dev, ino } = statSync(directory);
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // Every PostgreSQL process works inside its data directory; compare the directory itself, its path may differ.
      const cwd = statSync(`/proc/${name}/cwd`);
      const isPostgres = readFileSync(`/proc/${name}/comm`, 'utf8').startsWith('postgres');
      return isPostgres && cwd.dev === dev && cwd.ino === ino ? [Number(name)] : [];
    } catch {
      // It has ended, or belongs to another user: not a process of this installation.
      return [];
    }
  });
}

function otherProcesses(directory: string): number[] {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(.*)$/.exec(line);
    return match?.[2]?.includes('postgres') && match[2].includes(`-D ${directory}`) ? [Number(match[1])] : [];
  });
}

/** The PostgreSQL processes that work on a data directory, no matter who started them. */
export function postgresProcesses(directory: string): number[] {
  return process.platform === 'linux' ? linuxProcesses(directory) : otherProcesses(directory);
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself.
    }
  }
}

/**
 * Ends a PostgreSQL that a killed supervisor left behind, gracefully first, and removes its stale `postmaster.pid`,
 * whose process id may belong to another process by now. Only the holder of the data directory's lock may call this.
 * @returns how many processes there were
 * @throws Error when they do not end within 30 seconds
 */
export async function stopOrphans(directory: string): Promise<number> {
  const found = postgresProcesses(directory);
  const started = Date.now();
  const steps: { afterMs: number; send: NodeJS.Signals }[] = [
    // Fast shutdown: the postmaster ends its backends and writes a checkpoint. A backend alone ends on SIGTERM.
    { afterMs: 0, send: 'SIGINT' },
    { afterMs: 200, send: 'SIGTERM' },
    { afterMs: 10_000, send: 'SIGQUIT' },
    { afterMs: 15_000, send: 'SIGKILL' },
  ];
  for (let left = found; left.length > 0; left = postgresProcesses(directory)) {
    const elapsed = Date.now() - started;
    if (elapsed > 30_000) throw new Error(`PostgreSQL (process ${left.join(', ')}) does not stop; stop it manually`);
    if (steps[0] && elapsed >= steps[0].afterMs) signal(left, steps.shift()?.send ?? 'SIGTERM');
    await delay(50);
  }
  rmSync(join(directory, 'postmaster.pid'), { force: true });
  return found.length;
}
