import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { findSlapdProblem } from '@/test/slapd';
import { hashPassword } from '../sign-in/passwords';
import { login, prepareDirectory, slapd, store } from './directory-lab.fixture';

/** A server that accepts connections and never answers, or ends each of them; it counts them. */
async function startMuteServer(accept: (socket: Socket) => void = () => undefined) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    accept(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return {
    url: `ldaps://127.0.0.1:${address.port}`,
    count: () => sockets.size,
    async stop(): Promise<void> {
      const ended = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await ended;
    },
  };
}

describe.skipIf(findSlapdProblem() !== null)('a directory that is away', () => {
  prepareDirectory();

  it('says that it does not answer; local accounts sign in, and another server takes over', async () => {
    const away = 'ldaps://127.0.0.1:1';
    await store({ urls: [away] });
    await makeUser('viewer', undefined, {
      ...{ email: 'local@example.org', password_hash: await hashPassword('local secret') },
    });
    const refused = await login('alice', 'alice secret');
    expect([refused.status, refused.body.reason]).toEqual([503, 'directory_unavailable']);
    expect((await login('local@example.org', 'local secret')).status).toBe(200);
    await store({ urls: [away, slapd.urls.tls] });
    expect((await login('alice', 'alice secret')).status).toBe(200);
    await slapd.stop();
    expect((await login('alice', 'alice secret')).status).toBe(503);
    await slapd.start();
    expect((await login('alice', 'alice secret')).status).toBe(200);
  });

  it('does not keep local accounts out while its servers accept connections and never answer', async () => {
    let arrive = () => {};
    const bothWait = new Promise<void>((done) => {
      arrive = () => mute.count() === 2 && done();
    });
    const mute = await startMuteServer(() => arrive());
    await store({ urls: [mute.url] });
    await makeUser('viewer', undefined, {
      ...{ email: 'patient@example.org', password_hash: await hashPassword('local secret') },
    });
    const order: string[] = [];
    const wait = (name: string, password: string) =>
      login(name, password).then(({ status, body }) => order.push(`${name} ${status} ${body.reason ?? ''}`.trim()));
    const waiting = ['alice', 'bob', 'carol'].map((name) => wait(name, `${name} secret`));
    await bothWait;
    await wait('patient@example.org', 'local secret');
    expect(order).toEqual(['patient@example.org 200']);
    await mute.stop();
    await Promise.all(waiting);
    expect(order.slice(1).sort()).toEqual(['alice', 'bob', 'carol'].map((name) => `${name} 503 directory_unavailable`));
  });

  it('asks a server that did not answer lately only after the others', async () => {
    const dead = await startMuteServer((socket) => socket.destroy());
    const at = fakeClock(new Date());
    try {
      await store({ urls: [dead.url, slapd.urls.tls] });
      expect((await login('alice', 'alice secret')).status).toBe(200);
      expect(dead.count()).toBe(1);
      for (const name of ['alice', 'alice@example.org']) {
        expect((await login(name, 'alice secret')).status).toBe(200);
      }
      expect(dead.count()).toBe(1);
      at.advance(60_000);
      expect((await login('alice', 'alice secret')).status).toBe(200);
      expect(dead.count()).toBe(2);
      // Where no other one answers, it is asked all the same.
      await slapd.stop();
      expect((await login('alice', 'alice secret')).status).toBe(503);
      expect(dead.count()).toBe(3);
    } finally {
      at.restore();
      await slapd.start();
      await dead.stop();
    }
  });
});
