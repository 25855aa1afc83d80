import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireDataLock } from './data-lock';

const HOLDER = `
  import { createServer } from 'node:net';
  import { linkSync } from 'node:fs';
  const server = createServer((s) => s.end('{"pid":1}'));
  server.listen(process.argv[1] + '/x', () => { linkSync(process.argv[1] + '/x', process.argv[1] + '/lock.7'); console.log('held'); });
`;

describe('acquireDataLock', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-lock-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('can be taken once, and again after its release', async () => {
    const lock = await acquireDataLock(directory);
    if ('holder' in lock) throw new Error('the first one was refused');
    lock.announce('http://127.0.0.1:3000');
    expect(await acquireDataLock(directory)).toEqual({ holder: { pid: process.pid, url: 'http://127.0.0.1:3000' } });
    lock.release();
    expect(readdirSync(directory)).toEqual([]);
    const again = await acquireDataLock(directory);
    expect(again).toHaveProperty('release');
  });

  it('gives exactly one of fifty simultaneous comers the lock', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => acquireDataLock(directory)));
    expect(results.filter((result) => 'release' in result)).toHaveLength(1);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('stays held by a living process; after that is killed, one of many processes takes it', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(await acquireDataLock(directory)).toEqual({ holder: { pid: 1 } });
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const results = await Promise.all(Array.from({ length: 20 }, () => acquireDataLock(directory)));
    expect(results.filter((result) => 'release' in result)).toHaveLength(1);
    expect(readdirSync(directory).filter((name) => name.startsWith('lock.'))).toEqual(['lock.8']);
  });

  it('works in a directory whose path is longer than a socket address', async () => {
    const deep = join(directory, 'd'.repeat(120));
    mkdirSync(deep);
    const lock = await acquireDataLock(deep);
    expect(lock).toHaveProperty('release');
    expect(await acquireDataLock(deep)).toEqual({ holder: { pid: process.pid } });
  });
});
