import { createSocket, type Socket } from 'node:dgram';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../net/address-guard';
import { openDatagrams } from './open-datagrams';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

async function listen(type: 'udp4' | 'udp6' = 'udp4') {
  const received: string[] = [];
  const socket = createSocket(type, (message) => received.push(message.toString()));
  sockets.push(socket);
  await new Promise<void>((resolve) => socket.bind(0, type === 'udp4' ? '127.0.0.1' : '::1', resolve));
  const close = () => new Promise<void>((resolve) => sockets.splice(sockets.indexOf(socket), 1)[0]?.close(resolve));
  return { port: socket.address().port, received, close };
}

const guard = createAddressGuard(['127.0.0.0/8', '::1/128']);
const open = (port: number, more: object = {}) =>
  openDatagrams({ host: '127.0.0.1', port, guard, ...more }, Buffer.from('first'));
const MESSAGES = Array.from({ length: 50 }, (_, i) => Buffer.from(`message ${i}`));

describe('openDatagrams', () => {
  it.each([
    ['127.0.0.1', 'udp4'],
    ['::1', 'udp6'],
    ['localhost', 'udp4'],
  ] as const)('sends each message to %s as one datagram, in their order', async (host, type) => {
    const { port, received } = await listen(type);
    const lookup = (_: string, __: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    const datagrams = await open(port, { host, lookup });
    expect(await datagrams.send(MESSAGES)).toEqual({ sent: 50, error: null });
    datagrams.close();
    await expect.poll(() => received.length).toBe(51);
    expect(received).toEqual(['first', ...MESSAGES.map(String)]);
  });

  it('fails before anything is sent that counts when no program listens on the port', async () => {
    const { port, close } = await listen();
    await close();
    await expect(open(port)).rejects.toThrow(/refused the datagrams \(ECONNREFUSED\).*Check the port/);
  });

  it('stops when the receiver ends, and says how many were sent', async () => {
    const { port, received, close } = await listen();
    const datagrams = await open(port);
    const many = Array.from({ length: 400 }, () => MESSAGES).flat();
    const sending = datagrams.send(many);
    await expect.poll(() => received.length).toBeGreaterThan(10);
    await close();
    const { sent, error } = await sending;
    expect(error?.message).toMatch(/ECONNREFUSED/);
    expect(sent).toBeGreaterThanOrEqual(received.length - 1);
    expect(sent).toBeLessThan(many.length);
    datagrams.close();
  });

  it('notices between two batches that the receiver ended', async () => {
    const { port, close } = await listen();
    const datagrams = await open(port);
    expect(datagrams.assertAccepting).not.toThrow();
    await close();
    // The answer to the only datagram comes when all were sent.
    expect(await datagrams.send(MESSAGES.slice(0, 1))).toEqual({ sent: 1, error: null });
    const findError = () => {
      try {
        datagrams.assertAccepting();
        return null;
      } catch (error) {
        return String(error);
      }
    };
    await expect.poll(findError).toMatch(/ECONNREFUSED/);
    datagrams.close();
  });

  it('refuses addresses that are not allowed, also those that a name resolves to', async () => {
    const { port } = await listen();
    const strict = createAddressGuard([]);
    await expect(open(port, { guard: strict })).rejects.toThrow(/not an allowed target \(loopback\)/);
    await expect(open(port, { guard: strict, host: 'localhost' })).rejects.toThrow(/not an allowed target/);
    await expect(open(port, { guard: strict, host: '169.254.169.254' })).rejects.toThrow(/link-local/);
  });

  it('fails when a message is larger than a datagram', async () => {
    const { port } = await listen();
    const datagrams = await open(port);
    const { sent, error } = await datagrams.send([Buffer.alloc(100), Buffer.alloc(70_000)]);
    datagrams.close();
    expect({ sent, message: error?.message }).toEqual({ sent: 1, message: expect.stringMatching(/EMSGSIZE/) });
  });
});
