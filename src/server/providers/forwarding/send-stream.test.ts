import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createAddressGuard } from '../net/address-guard';
import { sendStream } from './send-stream';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A receiver that serves each connection by `serve`. @returns its port */
async function listen(serve: (socket: Socket) => void): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const guard = createAddressGuard(['127.0.0.0/8']);
const send = (port: number, bytes: Uint8Array | string, more: object = {}) =>
  sendStream({ host: '127.0.0.1', port, transport: 'tcp', guard, timeoutMs: 300, ...more }, Buffer.from(bytes));
/** More than the buffers of both ends take. */
const MUCH = Buffer.alloc(50_000_000);

describe('sendStream', () => {
  it('succeeds when the receiver has read everything and ends the connection, however late', async () => {
    let received = 0;
    const port = await listen((socket) => {
      socket.on('data', ({ length }) => {
        received += length;
      });
      socket.on('end', () => setTimeout(() => socket.end(), 100));
    });
    await send(port, MUCH, { timeoutMs: 20_000 });
    expect(received).toBe(MUCH.length);
  });

  it.each([
    ['does not read', MUCH, (_: Socket) => undefined, /did not accept data for 0.3 s/],
    ['reads without ending the connection', 'x', (socket: Socket) => socket.resume(), /did not close the connection/],
    [
      'resets the connection',
      MUCH,
      (socket: Socket) => socket.once('data', () => socket.resetAndDestroy()),
      /ECONNRESET|EPIPE/,
    ],
    [
      'ends the connection before it has read all',
      MUCH,
      (socket: Socket) => socket.once('data', () => socket.end()),
      /closed the connection early/,
    ],
  ])('fails when the receiver %s', async (_, bytes, serve, message) => {
    const port = await listen(serve);
    await expect(send(port, bytes)).rejects.toThrow(message);
  });

  it('fails when nothing listens, when the address is refused, and when it is aborted', async () => {
    const port = await listen((socket) => socket.pause());
    await expect(send(1, 'x')).rejects.toThrow(/ECONNREFUSED.*Check the address/);
    await expect(send(port, 'x', { guard: createAddressGuard([]) })).rejects.toThrow(
      /not an allowed target \(loopback\)/,
    );
    await expect(send(port, 'x', { host: 'localhost', guard: createAddressGuard([]) })).rejects.toThrow(
      /not an allowed target/,
    );
    const controller = new AbortController();
    const sending = send(port, MUCH, { signal: controller.signal });
    controller.abort(new Error('the worker ends'));
    await expect(sending).rejects.toThrow('the worker ends');
  });
});
