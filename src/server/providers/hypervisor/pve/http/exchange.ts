import type { Agent, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readBody } from './read-body';
import { TransportError } from './transport-error';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type ExchangeRequest = {
  method: HttpMethod;
  host: string;
  port: number;
  /** Full path with query. */
  path: string;
  authorization: string;
  /** Form-encoded body of POST and PUT; null sends none, as GET and DELETE require. */
  body: string | null;
  /** Time for the whole exchange, from the moment the connection stands. */
  timeoutMs: number;
};

/** An answer as it came, not yet understood. `date` is the server's Date header. */
export type RawAnswer = {
  status: number;
  statusText: string;
  contentType: string;
  location: string | null;
  date: string | null;
  body: string;
};

function headers({ authorization, body }: ExchangeRequest): Record<string, string | number> {
  return {
    Authorization: authorization,
    Accept: 'application/json',
    'Accept-Encoding': 'gzip',
    'User-Agent': 'fabric',
    ...(body === null
      ? {}
      : { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': Buffer.byteLength(body) }),
  };
}

const toAnswer = (response: IncomingMessage, body: string): RawAnswer => ({
  status: response.statusCode ?? 0,
  statusText: response.statusMessage ?? '',
  contentType: response.headers['content-type'] ?? '',
  location: response.headers.location ?? null,
  date: response.headers.date ?? null,
  body,
});

function exchangeError(cause: Error & { code?: string }, sent: boolean): TransportError {
  if (cause instanceof TransportError) return cause;
  if (cause.code?.startsWith('HPE_')) {
    return new TransportError(
      'bad_answer',
      `The response is not valid HTTP (${cause.code})`,
      'Check that the address leads directly to the Proxmox VE API (port 8006), without a proxy.',
      { sent },
      { cause },
    );
  }
  return new TransportError(
    'unreachable',
    `The connection was interrupted: ${cause.code ?? cause.message}`,
    'Try again. If it persists, check the node and the network in between.',
    { sent, reset: true },
    { cause },
  );
}

/**
 * One request, one answer; no redirect is followed, nothing is retried. Any status is an answer.
 * @throws TransportError when there is no complete answer; `sent` shows whether the server may have acted.
 */
export function exchange(request: ExchangeRequest, agent: Agent): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let timer: NodeJS.Timeout | undefined;
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    const { method, host, port, path } = request;
    const outgoing = httpsRequest({ agent, method, host, port, path, headers: headers(request) });
    const fail = (error: Error) =>
      settle(() => {
        outgoing.destroy();
        reject(exchangeError(error, sent));
      });
    outgoing.on('error', fail);
    outgoing.on('socket', () => {
      // Emitted once the connection stands and its certificate was believed: the request is written from here on.
      sent = true;
      timer = setTimeout(() => {
        fail(
          new TransportError(
            'timeout',
            `No complete response within ${request.timeoutMs} ms`,
            'The node may be overloaded or waiting for storage. Check its load and its pveproxy and pvedaemon services.',
            { sent: true },
          ),
        );
      }, request.timeoutMs);
    });
    outgoing.on('response', (response) => {
      readBody(response).then((body) => settle(() => resolve(toAnswer(response, body))), fail);
    });
    outgoing.end(request.body ?? undefined);
  });
}
