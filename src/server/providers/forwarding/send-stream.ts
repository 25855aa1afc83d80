import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type AddressGuard, guardedLookup, RefusedAddressError } from '../net/address-guard';
import { DeliveryError } from '../net/delivery-error';
import { refusedTarget } from '../net/guarded-post';

export type StreamTarget = {
  host: string;
  port: number;
  transport: 'tls' | 'tcp';
  guard: AddressGuard;
  /** Trusted certificate authorities instead of those of the system, as PEM. */
  ca?: string | null;
  /** Resolves names; replaced by tests. */
  lookup?: Parameters<typeof guardedLookup>[1];
  /** Without progress for so long the receiver has stalled, in milliseconds. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 10_000;

type Failure = Error & { code?: string; reason?: string };

function toDeliveryError({ host, port }: StreamTarget, cause: Failure): DeliveryError {
  if (cause instanceof DeliveryError) return cause;
  if (cause instanceof RefusedAddressError) return refusedTarget(host, cause);
  const where = `${host}:${port}`;
  // Codes of OpenSSL and of the check of the name, such as DEPTH_ZERO_SELF_SIGNED_CERT and ERR_TLS_CERT_ALTNAME_INVALID.
  if (/CERT|TLS|SSL|VERIFY|ISSUER/.test(cause.code ?? '')) {
    return new DeliveryError(
      `TLS with ${where} failed (${cause.code}). Check the certificate of the receiver and the certificate authorities of the destination.`,
      { retry: true, cause },
    );
  }
  return new DeliveryError(
    `The connection to ${where} failed (${cause.code ?? cause.message}). Check the address, the receiver and the firewall between.`,
    { retry: true, cause },
  );
}

function open({ host, port, transport, guard, ca = null, lookup }: StreamTarget): Socket {
  // Half open: the receiver's end of the connection is the sign that it has read everything.
  const options = { host, port, lookup: guardedLookup(guard, lookup), allowHalfOpen: true };
  if (transport === 'tcp') return connectTcp(options);
  return connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }), ...(ca !== null && { ca }) });
}

/**
 * Sends bytes over a connection of its own, ends it, and waits until the receiver ends it as well. Neither syslog nor JSON lines
 * acknowledge anything, but a receiver ends a connection without an error only after it has read all of it: what it did not read
 * resets the connection.
 * @throws DeliveryError when it cannot be reached, stalls, or resets the connection; the reason of `signal` when it aborts
 */
export function sendStream(target: StreamTarget, bytes: Uint8Array): Promise<void> {
  const { host, guard, timeoutMs = TIMEOUT_MS, signal } = target;
  const reason = isIP(host) > 0 ? guard.refusal(host) : null;
  if (reason !== null) return Promise.reject(refusedTarget(host, new RefusedAddressError(host, reason)));
  return new Promise((resolve, reject) => {
    let ended = false;
    const socket = open(target);
    const finish = (settle: () => void) => {
      signal?.removeEventListener('abort', abort);
      settle();
      socket.destroy();
    };
    const fail = (error: unknown) => finish(() => reject(error));
    const abort = () => fail(signal?.reason);
    // Bytes that the system has taken are progress as well, until its buffers are full.
    socket.setTimeout(timeoutMs, () =>
      fail(
        new DeliveryError(
          ended
            ? `${host}:${target.port} did not close the connection within ${timeoutMs / 1000} s after the last record.`
            : `${host}:${target.port} did not accept data for ${timeoutMs / 1000} s.`,
          { retry: true },
        ),
      ),
    );
    socket.on('error', (cause) => fail(toDeliveryError(target, cause)));
    socket.on('end', () => {
      if (ended) finish(resolve);
      else fail(new DeliveryError(`${host}:${target.port} closed the connection early.`, { retry: true }));
    });
    // Whatever it says is not read as an answer, but would keep its end from being seen.
    socket.resume();
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    socket.end(bytes, () => {
      ended = true;
    });
  });
}
