import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@/runtime/postgres/server';

export type RedisServer = { url: string; pid: number; stop(): Promise<void> };

/** Whether this machine has redis-server. */
export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}

async function isReachable(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A real Redis without persistence on a free port (or on `port`, after a stop, for tests of a restart). */
export async function startRedisServer(port?: number): Promise<RedisServer> {
  const directory = mkdtempSync(join(tmpdir(), 'fabric-redis-'));
  const chosen = port ?? (await findFreePort());
  const child = spawn(
    'redis-server',
    [
      '--port',
      String(chosen),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--databases',
      '64',
      '--dir',
      directory,
    ],
    { stdio: 'ignore' },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = Date.now() + 60_000;
  while (!(await isReachable(chosen))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('redis-server did not start');
    await delay(20);
  }
  return {
    url: `redis://127.0.0.1:${chosen}`,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
