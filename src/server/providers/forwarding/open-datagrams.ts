import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type AddressGuard, guardedLookup, RefusedAddressError } from '../net/address-guard';
import { DeliveryError } from '../net/delivery-error';
import { refusedTarget } from '../net/guarded-post';

export type DatagramTarget = {
  host: string;
  port: number;
  guard: AddressGuard;
  /** Resolves names; replaced by tests. */
  lookup?: Parameters<typeof guardedLookup>[1];
};

export type Datagrams = {
  /**
   * Sends messages, each as a datagram, not faster than a receiver with usual buffers reads.
   * @returns how many were sent, and why not all of them
   */
  send: (messages: readonly Uint8Array[]) => Promise<{ sent: number; error: DeliveryError | null }>;
  /** @throws DeliveryError when the receiver refused what was sent before */
  assertAccepting: () => void;
  close: () => void;
};

/**
 * A socket buffer of the usual 208 KiB holds 92 datagrams of 1400 bytes, or 12 of 8952: what arrives in a fifth of a second while the
 * receiver does not read.
 */
const PACE = { datagrams: 4, bytes: 5600, ms: 10 };
/** How long the answer that nothing listens on the port is waited for. */
const REFUSAL_MS = 100;

type Failure = Error & { code?: string };

function toDeliveryError({ host, port }: DatagramTarget, cause: Failure): DeliveryError {
  if (cause instanceof RefusedAddressError) return refusedTarget(host, cause);
  const where = `${host}:${port}`;
  if (cause.code === 'ECONNREFUSED') {
    const message = `${where} refused the datagrams (ECONNREFUSED): no program listens on this UDP port. Check the port and the receiver.`;
    return new DeliveryError(message, { retry: true, cause });
  }
  if (cause.code === 'EMSGSIZE') {
    const message = `A message is larger than the network to ${where} accepts (EMSGSIZE). Reduce the largest message of the destination.`;
    return new DeliveryError(message, { retry: true, cause });
  }
  return new DeliveryError(
    `Sending datagrams to ${where} failed (${cause.code ?? cause.message}). Check the address and the network.`,
    { retry: true, cause },
  );
}

type Address = { address: string; family: number };

function resolve({ host, guard, lookup }: DatagramTarget): Promise<Address> {
  const reason = isIP(host) > 0 ? guard.refusal(host) : null;
  if (reason !== null) return Promise.reject(new RefusedAddressError(host, reason));
  if (isIP(host) > 0) return Promise.resolve({ address: host, family: isIP(host) });
  return new Promise((done, fail) =>
    guardedLookup(guard, lookup)(host, {}, (error, address, family) =>
      error ? fail(error) : done({ address: String(address), family: family === 6 ? 6 : 4 }),
    ),
  );
}

/**
 * Opens a socket for datagrams to a receiver and sends it a first one that may be lost. UDP confirms nothing, but a machine without a
 * program on the port usually says so: that fails here, before anything is sent that counts.
 * @throws DeliveryError when the name cannot be resolved, the address is not allowed, or the receiver refuses
 */
export async function openDatagrams(target: DatagramTarget, first: Uint8Array): Promise<Datagrams> {
  const { address, family } = await resolve(target).catch((error: Failure) => {
    throw toDeliveryError(target, error);
  });
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  let failure: Failure | null = null;
  socket.on('error', (error) => {
    failure = error;
  });
  const sendOne = (bytes: Uint8Array): Promise<void> =>
    new Promise((done) =>
      socket.send(bytes, (error) => {
        if (error) failure = error;
        done();
      }),
    );
  const takeFailure = (): DeliveryError | null => {
    const error = failure && toDeliveryError(target, failure);
    failure = null;
    return error;
  };
  const assertAccepting = () => {
    const error = takeFailure();
    if (error) throw error;
  };
  const connected = new Promise<void>((done, fail) => {
    const settle = (error?: Error) => (error ? fail(error) : done());
    socket.connect(target.port, address, settle as () => void);
    socket.once('error', fail);
  });
  try {
    await connected;
    await sendOne(first);
    await setTimeout(REFUSAL_MS);
    assertAccepting();
  } catch (error) {
    socket.close();
    throw error instanceof DeliveryError ? error : toDeliveryError(target, error as Failure);
  }
  return {
    send: async (messages) => {
      let burst = { datagrams: 0, bytes: 0 };
      for (const [sent, message] of messages.entries()) {
        await sendOne(message);
        const error = takeFailure();
        if (error) return { sent, error };
        burst = { datagrams: burst.datagrams + 1, bytes: burst.bytes + message.length };
        if (burst.datagrams < PACE.datagrams && burst.bytes < PACE.bytes) continue;
        await setTimeout(PACE.ms * Math.max(1, burst.bytes / PACE.bytes));
        burst = { datagrams: 0, bytes: 0 };
      }
      return { sent: messages.length, error: null };
    },
    assertAccepting,
    close: () => socket.close(),
  };
}
