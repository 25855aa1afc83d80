import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { type AddressGuard, guardedLookup, RefusedAddressError } from './address-guard';
import { DeliveryError } from './delivery-error';

export type GuardedPost = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  guard: AddressGuard;
  /** What a name resolves to, or that it does, stays inside: for those who must not learn about this network. */
  discreet?: boolean;
  /** Resolves names; replaced by tests. */
  lookup?: Parameters<typeof guardedLookup>[1];
  /** Trusted certificate authorities instead of those of the system, as PEM. */
  ca?: string | null;
  /** For everything from resolving the name to the answer's headers, in milliseconds. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_RETRY_AFTER_SECONDS = 3600;
/** Refusals that say themselves that later is another matter. */
const TEMPORARY = new Set([408, 421, 425, 429]);

/** The same for a name that leads nowhere and one that leads inside, tried again like what may only be down for a moment. */
const unreachable = (host: string) =>
  new DeliveryError(`${host} has no allowed address. Use a receiver that is reachable from the internet.`, {
    retry: true,
  });

/** Codes with which a name fails to resolve. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_FAIL']);

export const refusedTarget = (host: string, cause: RefusedAddressError) =>
  new DeliveryError(`${cause.messageFor(host)}. A server administrator can add it to FABRIC_ALLOW_PRIVATE_TARGETS.`, {
    retry: false,
  });

function parseRetryAfter(response: IncomingMessage): number | undefined {
  const text = response.headers['retry-after'];
  return text && /^\d{1,6}$/.test(text) ? Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) : undefined;
}

/** What an answer means; only its status counts. @throws DeliveryError unless it is 2xx */
function checkResponse(response: IncomingMessage): number {
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return status;
  if (status >= 300 && status < 400) {
    throw new DeliveryError(
      `The receiver returned ${status}, a redirect. Redirects are not followed: enter the target URL of the redirect.`,
      { retry: false, status },
    );
  }
  const retry = status >= 500 || TEMPORARY.has(status);
  throw new DeliveryError(`The receiver returned status ${status}.`, {
    retry,
    status,
    retryAfterSeconds: retry ? parseRetryAfter(response) : undefined,
  });
}

/**
 * Posts a body. The name is resolved once and the connection goes to an address that the guard allows; a redirect is
 * not followed, and of the answer nothing but status and headers is read.
 * @returns the status, 2xx
 * @throws DeliveryError; the reason of `signal` when it aborts
 */
export function postGuarded({ url, headers, body, guard, ...given }: GuardedPost): Promise<number> {
  const { timeoutMs = TIMEOUT_MS, signal, ca = null } = given;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const reason = isIP(host) > 0 ? guard.refusal(host) : null;
  if (reason !== null) return Promise.reject(refusedTarget(url.hostname, new RefusedAddressError(host, reason)));
  const options: RequestOptions & { ca?: string } = {
    method: 'POST',
    agent: false,
    lookup: guardedLookup(guard, given.lookup),
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    ...(ca !== null && { ca }),
  };
  return new Promise<number>((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
      request.destroy();
    };
    const fail = (error: unknown) => end(() => reject(error));
    const abort = () => fail(signal?.reason);
    const timer = setTimeout(
      () => fail(new DeliveryError(`${url.host} did not respond within ${timeoutMs / 1000} s.`, { retry: true })),
      timeoutMs,
    );
    request.on('response', (response) => {
      response.on('error', () => {});
      try {
        const status = checkResponse(response);
        end(() => resolve(status));
      } catch (error) {
        fail(error);
      }
    });
    request.on('error', (cause: Error & { code?: string }) => {
      const inside = cause instanceof RefusedAddressError;
      if (given.discreet && (inside || NO_ADDRESS.has(cause.code ?? ''))) return fail(unreachable(url.hostname));
      if (inside) return fail(refusedTarget(url.hostname, cause));
      fail(new DeliveryError(`No response from ${url.host}: ${cause.code ?? cause.message}`, { retry: true, cause }));
    });
    // An answer that changes the protocol, or a connection that just ends, is no answer.
    request.on('close', () => fail(new DeliveryError(`${url.host} closed the connection.`, { retry: true })));
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    request.end(body);
  });
}
