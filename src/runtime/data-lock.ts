import { randomBytes } from 'node:crypto';
import { closeSync, linkSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** What the holder of a lock reports to a process that finds it held. */
export type LockHolder = { pid: number; url?: string };

export type DataLock = {
  /** Tells later comers where this one is reached. */
  announce(url: string): void;
  release(): void;
};

const NAME = /^lock\.(\d+)$/;
const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException | null)?.code === code;

/** The path as the socket calls take it: they allow about 100 bytes, which a deep directory exceeds. */
function socketPath(directory: string, descriptor: number, name: string): string {
  const path = join(directory, name);
  return Buffer.byteLength(path) < 100 || process.platform !== 'linux' ? path : `/proc/self/fd/${descriptor}/${name}`;
}

/** Asks a socket who holds it; null when its process is gone. */
async function readHolder(path: string): Promise<LockHolder | null> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    let text = '';
    const answer = () => {
      socket.destroy();
      try {
        resolve(JSON.parse(text) as LockHolder);
      } catch {
        // The process accepted the connection, so it runs; it is too busy to answer.
        resolve({ pid: 0 });
      }
    };
    socket.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    socket.setTimeout(2_000, answer);
    socket.once('end', answer);
    socket.once('error', (error) => {
      if (isCode(error, 'ECONNREFUSED') || isCode(error, 'ENOENT')) resolve(null);
      else reject(error);
    });
  });
}

const listGenerations = (directory: string) =>
  readdirSync(directory)
    .flatMap((name) => Number(NAME.exec(name)?.[1] ?? []))
    .sort((a, b) => b - a);

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

async function listen(path: string, holder: LockHolder): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(JSON.stringify(holder));
    });
    server.once('error', reject);
    server.listen(path, () => resolve(server.unref()));
  });
}

/**
 * Takes the one lock of a data directory. The lock is a listening socket, so it ends with its process, also by kill -9,
 * and it holds between containers that share the directory. Who takes over from a dead one makes the next generation,
 * `lock.<n + 1>`, by a link that fails if it exists: of any number of comers one succeeds.
 * @returns the lock, or who holds it
 * @throws Error when the file system has no sockets
 */
export async function acquireDataLock(directory: string): Promise<DataLock | { holder: LockHolder }> {
  const descriptor = openSync(directory, 'r');
  const holder: LockHolder = { pid: process.pid };
  const own = `.lock-${randomBytes(6).toString('hex')}`;
  const server = await listen(socketPath(directory, descriptor, own), holder);
  const giveUp = () => {
    server.close();
    remove(join(directory, own));
    closeSync(descriptor);
  };
  try {
    for (;;) {
      const [latest = 0] = listGenerations(directory);
      const living = latest === 0 ? null : await readHolder(socketPath(directory, descriptor, `lock.${latest}`));
      if (living) {
        giveUp();
        return { holder: living };
      }
      const mine = latest + 1;
      try {
        linkSync(join(directory, own), join(directory, `lock.${mine}`));
      } catch (error) {
        if (isCode(error, 'EEXIST')) continue;
        throw error;
      }
      // A comer that slept since it looked may have made an old generation again; the newer one counts.
      if (listGenerations(directory).some((generation) => generation > mine)) {
        remove(join(directory, `lock.${mine}`));
        continue;
      }
      for (const old of listGenerations(directory)) {
        if (old < mine) remove(join(directory, `lock.${old}`));
      }
      remove(join(directory, own));
      return {
        announce: (url) => {
          holder.url = url;
        },
        release: () => {
          remove(join(directory, `lock.${mine}`));
          giveUp();
        },
      };
    }
  } catch (error) {
    giveUp();
    throw error;
  }
}
