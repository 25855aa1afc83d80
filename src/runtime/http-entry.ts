import http, { type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { HEAVY_ELSEWHERE, isHeavyRequest } from '@/domain/heavy-operations';
import { STAMPED } from '@/server/auth/origin';
import { AppError } from '@/server/lib/errors';
import { newId } from '@/server/lib/ids';
import { toProblem } from '@/server/rest/problem';
import { API_POLICY, applySecurityHeaders } from './content-security';
import { stampRequest, trustedProxies } from './peer-header';
import { findRequestError, isApiPath, PAGE_HEADERS, sendProblem, toOriginForm } from './request-guard';

/** Maximum time for a request to arrive (ms): a client that sends a body byte by byte must not hold a connection. */
export const REQUEST_MS = 30_000;
/** So often it is looked whether one takes longer (ms). */
const LOOK_MS = 1_000;
/**
 * Time for which a connection without a request stays open (ms): longer than proxies keep theirs (nginx 60 s, Traefik 90 s, Caddy 120 s). With Node's
 * five seconds a proxy sends requests over connections that are being closed in that moment, and they are lost.
 */
const KEEP_ALIVE_MS = 125_000;

/** The one `Host` that a request has. Of two, a proxy before us may have believed the other. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length <= 1;
}

/** Who answers what Next does not: the API, and of it what keeps the process busy. Without them Next answers everything. */
type Answering = { api?: RequestListener; heavy?: RequestListener };

function guardListener(
  listener: RequestListener,
  isTrusted: (address: string) => boolean,
  { api = listener, heavy = api }: Answering,
) {
  return (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => {
    request.url = toOriginForm(request.url ?? '/');
    const refusal = hasOneHost(request)
      ? findRequestError(request.method ?? '', request.url)
      : new AppError('malformed', 'The request has several Host headers. Send one.');
    stampRequest(request, isTrusted);
    // What is refused here is data, whatever the address would have been.
    const isApi = isApiPath(request.url);
    applySecurityHeaders(request, response, refusal !== null || isApi);
    if (refusal) return sendProblem(response, refusal);
    if (!isApi) return listener(request, response);
    for (const name of PAGE_HEADERS) delete request.headers[name];
    return isHeavyRequest(request.method ?? '', request.url) ? heavy(request, response) : api(request, response);
  };
}

/** What is no HTTP at all, or has larger headers than Node takes (16 KB), gets an answer that says so. */
function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const large = error.code === 'HPE_HEADER_OVERFLOW';
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const meaning = large
    ? new AppError('too_large', 'The URL and headers are larger than 16 KB. Shorten them.')
    : slow
      ? new AppError('malformed', `The request took longer than ${REQUEST_MS / 1000} s to arrive. Send it again.`)
      : new AppError('malformed', 'This is not a valid HTTP request.');
  const status = large ? '431 Request Header Fields Too Large' : slow ? '408 Request Timeout' : '400 Bad Request';
  const problem = { ...toProblem(meaning, newId()), status: Number.parseInt(status, 10) };
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${status}\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n` +
      `Content-Security-Policy: ${API_POLICY}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** So often a server that closes looks for connections, and so short a look is one that nothing can have come behind (ms). */
const MAX_LOOKS = 100;
const SHORT_LOOK_MS = 2;

/**
 * Lets a server that closes take what has connected while the process was busy: the kernel resets what waits in its queue when
 * the socket closes. It closes after a look of the event loop that found nothing and took no time. What connects in the very
 * moment of closing is lost all the same; a balancer that asks for readiness sends nothing then.
 */
function closeAfterAccepting(server: Server): void {
  const close = server.close.bind(server);
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  server.close = (done) => {
    const look = (left: number) => {
      const before = accepted;
      const started = performance.now();
      setImmediate(() => {
        const quiet = accepted === before && performance.now() - started < SHORT_LOOK_MS;
        if (quiet || left === 0) close(done);
        else look(left - 1);
      });
    };
    // From one immediate to the next the event loop looks once.
    setImmediate(look, MAX_LOOKS);
    return server;
  };
}

/**
 * Makes every HTTP server that this process creates from now on look at its requests before Next does: it notes where they
 * come from (a route handler of Next knows no socket) and answers what Next would answer with something other than
 * problem+json. Call it once, before Next's server is loaded.
 * @param trusted CIDRs of the proxies whose forwarding headers are believed
 */
export function installHttpEntry(
  trusted: readonly string[],
  { requestMs = REQUEST_MS, ...answering }: { requestMs?: number } & Answering = {},
): void {
  const isTrusted = trustedProxies(trusted);
  const create = http.createServer;
  http.createServer = ((...args: unknown[]) => {
    const wrapped = args.map((arg) =>
      typeof arg === 'function' ? guardListener(arg as RequestListener, isTrusted, answering) : arg,
    );
    const given = typeof wrapped[0] === 'object' ? wrapped.shift() : {};
    const times = { requestTimeout: requestMs, connectionsCheckingInterval: LOOK_MS, keepAliveTimeout: KEEP_ALIVE_MS };
    const options = { ...(given as object), ...times };
    const server = Reflect.apply(create, http, [options, ...wrapped]) as Server;
    closeAfterAccepting(server);
    return server.on('clientError', rejectMalformedRequest);
  }) as typeof http.createServer;
  Reflect.set(globalThis, STAMPED, true);
  if (answering.heavy) Reflect.set(globalThis, HEAVY_ELSEWHERE, true);
}
