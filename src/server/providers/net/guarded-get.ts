import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { type AddressGuard, guardedLookup, RefusedAddressError } from './address-guard';

export type GuardedGet = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  guard: AddressGuard;
  /** Trusted certificate authorities instead of those of the system, as PEM. */
  ca: string | null;
  /** For the whole answer, in milliseconds. */
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
};

export type GuardedAnswer = { status: number; retryAfter: string | null; body: string };

/** No complete answer; the message names the host and why. */
export class NoAnswerError extends Error {
  constructor(
    message: string,
    /** Whether another attempt may succeed. */
    readonly retry: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

const MAX_HEADER_BYTES = 16 * 1024;

async function readBody(response: IncomingMessage, maxBytes: number, host: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new NoAnswerError(`${host} sent more than ${maxBytes / 2 ** 20} MiB`, false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toNoAnswer(host: string, cause: unknown): NoAnswerError {
  if (cause instanceof NoAnswerError) return cause;
  if (cause instanceof RefusedAddressError) return new NoAnswerError(cause.messageFor(host), false);
  const { code, message } = cause as Error & { code?: string };
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|SSL|TLS/.test(code ?? '');
  return new NoAnswerError(`${host} did not answer (${code ?? message})`, !isCertificate, cause);
}

/**
 * Gets a bounded answer. The name is resolved once, the connection goes to an address that the guard allows, and redirects are not
 * followed.
 * @throws NoAnswerError; the reason of `signal` when it aborts
 */
export function getGuarded(given: GuardedGet): Promise<GuardedAnswer> {
  const { url, headers, guard, ca, timeoutMs, maxBytes, signal } = given;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const reason = isIP(host) > 0 ? guard.refusal(host) : null;
  if (reason !== null) return Promise.reject(toNoAnswer(host, new RefusedAddressError(host, reason)));
  const options: RequestOptions & { ca?: string } = {
    method: 'GET',
    agent: false,
    lookup: guardedLookup(guard),
    maxHeaderSize: MAX_HEADER_BYTES,
    headers,
    ...(ca !== null && { ca }),
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      settle();
      request.destroy();
    };
    const fail = (error: unknown) => end(() => reject(signal.aborted ? signal.reason : toNoAnswer(url.host, error)));
    const abort = () => fail(signal.reason);
    const timer = setTimeout(
      () => fail(new NoAnswerError(`${url.host} did not answer within ${timeoutMs / 1000} s`, true)),
      timeoutMs,
    );
    request.on('response', (response) => {
      readBody(response, maxBytes, url.host).then(
        (body) =>
          end(() =>
            resolve({
              status: response.statusCode ?? 0,
              retryAfter: response.headers['retry-after'] ?? null,
              body,
            }),
          ),
        fail,
      );
    });
    request.on('error', fail);
    request.on('close', () => fail(new NoAnswerError(`${url.host} closed the connection`, true)));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    request.end();
  });
}
