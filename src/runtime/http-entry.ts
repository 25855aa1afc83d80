import http, { type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { STAMPED } from '@/server/auth/origin';
import { AppError } from '@/server/lib/errors';
import { newId } from '@/server/lib/ids';
import { toProblem } from '@/server/rest/problem';
import { API_POLICY, secure } from './content-security';
import { stampRequest, trustedProxies } from './peer-header';
import { isApiPath, originForm, PAGE_HEADERS, refusalOf } from './request-guard';

function answer(response: ServerResponse, error: AppError): void {
  const id = newId();
  const allow = error.extra?.allow;
  const body = JSON.stringify(toProblem(error, id));
  response.writeHead(error.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    ...(Array.isArray(allow) && { allow: allow.join(', ') }),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function guarded(listener: RequestListener, isTrusted: (address: string) => boolean) {
  return (request: IncomingMessage, response: ServerResponse & { req: IncomingMessage }) => {
    request.url = originForm(request.url ?? '/');
    const refusal = refusalOf(request.method ?? '', request.url);
    stampRequest(request, isTrusted);
    // What is refused here is data, whatever the address would have been.
    secure(request, response, refusal !== null || isApiPath(request.url));
    if (refusal) return answer(response, refusal);
    if (isApiPath(request.url)) for (const name of PAGE_HEADERS) delete request.headers[name];
    return listener(request, response);
  };
}

/** What is no HTTP at all, or has larger headers than Node takes (16 KB), gets an answer that says so. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const large = error.code === 'HPE_HEADER_OVERFLOW';
  const meaning = large
    ? new AppError('too_large', 'The address and headers are larger than 16 KB. Send less.')
    : new AppError('malformed', 'This is not a valid HTTP request.');
  const problem = { ...toProblem(meaning, newId()), ...(large && { status: 431 }) };
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${large ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\n` +
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
export function installHttpEntry(trusted: readonly string[]): void {
  const isTrusted = trustedProxies(trusted);
  const create = http.createServer;
  http.createServer = ((...args: unknown[]) => {
    const wrapped = args.map((arg) => (typeof arg === 'function' ? guarded(arg as RequestListener, isTrusted) : arg));
    const server = Reflect.apply(create, http, wrapped) as Server;
    closeAfterAccepting(server);
    return server.on('clientError', answerUnreadable);
  }) as typeof http.createServer;
  Reflect.set(globalThis, STAMPED, true);
}
