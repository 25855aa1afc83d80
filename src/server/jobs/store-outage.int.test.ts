import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startFreshProcess } from '@/test/fresh-process';
import { until } from '@/test/until';
import { idleProcessors } from '../../../workers/idle-processors.fixture';
import { startWorkers, type WorkerRuntime } from '../../../workers/runtime';
import { env } from '../lib/env';
import { newId } from '../lib/ids';
import { queueBackend } from './backend';
import { clusterSync } from './definitions';
import { enqueue } from './enqueue';

/** What PostgreSQL says during crash recovery, and closes the connection. */
const STARTING = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
})();

const database = new URL(env().DATABASE_URL ?? '');

/** PostgreSQL behind an address that can answer as one that is starting. */
async function startDoor() {
  const shown = new URL(database.href);
  const open = new Set<Socket>();
  const door = { isOpen: true, refused: 0, url: '', close: () => {} };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (!door.isOpen) {
      door.refused += 1;
      socket.once('data', () => socket.end(STARTING));
      return;
    }
    const behind = connect(Number(database.port), database.hostname);
    behind.on('error', () => socket.destroy());
    open.add(socket);
    socket.on('close', () => behind.destroy());
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  shown.port = String(typeof address === 'object' ? address?.port : 0);
  door.url = shown.href;
  door.close = () => {
    door.isOpen = false;
    for (const socket of open) socket.destroy();
    open.clear();
  };
  return door;
}

let door: Awaited<ReturnType<typeof startDoor>>;
let worker: WorkerRuntime | undefined;
beforeEach(async () => {
  door = await startDoor();
  await startFreshProcess({ DATABASE_URL: door.url, REDIS_URL: '' });
  await queueBackend.prepare();
});
afterEach(async () => {
  await worker?.close();
  worker = undefined;
  vi.unstubAllEnvs();
});

/** Whether a job could be stored. */
const store = () =>
  enqueue(clusterSync, { cluster_id: newId() }).then(
    () => true,
    () => false,
  );

it('stores jobs again after an outage during which a queue was used for the first time', async () => {
  door.close();
  await expect(enqueue(clusterSync, { cluster_id: newId() })).rejects.toMatchObject({ code: 'unavailable' });
  door.isOpen = true;
  await until('a job is stored', store);
});

it('asks a store that is starting a few times in a second, and takes jobs again when it has started', async () => {
  let taken = 0;
  worker = await startWorkers({
    ...idleProcessors,
    'cluster.sync': async () => {
      taken += 1;
    },
  });
  door.close();
  await until('workers notice it', () => door.refused > 0);
  const before = door.refused;
  await delay(1_000);
  expect(door.refused - before).toBeLessThan(2 * Object.keys(idleProcessors).length);
  door.isOpen = true;
  await until('a job is stored', store);
  await until('a job is taken', () => taken > 0);
});
