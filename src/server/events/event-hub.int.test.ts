import { connect, createServer, type Server, Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { closeDb, db } from '@/server/db/client';
import { newId } from '@/server/lib/ids';
import { closeEventHub, type HubMessage, publishEvent, subscribe } from './event-hub';

/** A wire to the database that can be cut, as a restart or a network fault does. */
class Wire {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;
  constructor(
    readonly target: number,
    readonly host: string,
  ) {}
  async up(): Promise<void> {
    const server = createServer((socket) => {
      const upstream = connect(this.target, this.host);
      for (const end of [socket, upstream]) {
        this.#sockets.add(end);
        end.on('error', () => undefined);
        end.on('close', () => this.#sockets.delete(end));
      }
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as { port: number }).port;
    this.#server = server;
  }
  async down(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

let wire: Wire;
beforeAll(async () => {
  // biome-ignore lint/style/noProcessEnv: the wire goes between this process and the database it was given
  const url = new URL(process.env.DATABASE_URL ?? '');
  wire = new Wire(Number(url.port), url.hostname);
  await wire.up();
  url.hostname = '127.0.0.1';
  url.port = String(wire.port);
  vi.stubEnv('DATABASE_URL', url.href);
});
afterAll(async () => {
  await closeEventHub();
  await closeDb();
  await wire.down();
});

it('listens again after the database was away for a while', async () => {
  const seen: HubMessage[] = [];
  await subscribe((message) => seen.push(message));
  await publishEvent(db, { type: 'cluster.changed', cluster_id: newId() });
  await expect.poll(() => seen).toHaveLength(1);
  await wire.down();
  const attempts = vi.spyOn(Socket.prototype, 'connect');
  await expect.poll(() => attempts.mock.calls.length).toBeGreaterThan(2);
  attempts.mockRestore();
  await wire.up();
  await expect.poll(() => seen.at(-1)).toEqual({ type: 'resync' });
  const id = newId();
  await publishEvent(db, { type: 'cluster.changed', cluster_id: id });
  await expect.poll(() => seen.at(-1)).toEqual({ type: 'cluster.changed', cluster_id: id });
});
