import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { createGzip } from 'node:zlib';

const COMPRESSIBLE = /^(?:text\/|application\/(?:[a-z.-]+\+)?(?:json|x-ndjson))/;

const isBodyless = (method: string | undefined) => method === 'GET' || method === 'HEAD';

/**
 * Serves a handler of the web's own `Request` and `Response` with Node's HTTP server, without Next. Answers are compressed for those
 * who take gzip; the signal of the request aborts when the client goes away.
 */
export function serveHandler(handler: (request: Request) => Promise<Response>) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) gone.abort(new Error('the client disconnected'));
    });
    try {
      const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      const request = new Request(`http://${incoming.headers.host ?? 'localhost'}${incoming.url}`, {
        method: incoming.method,
        headers,
        signal: gone.signal,
        ...(!isBodyless(incoming.method) && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
      });
      const response = await handler(request);
      const reported = new Headers(response.headers);
      const takesGzip = /\bgzip\b/.test(incoming.headers['accept-encoding'] ?? '');
      const zips = takesGzip && response.body !== null && COMPRESSIBLE.test(reported.get('content-type') ?? '');
      if (zips) {
        reported.set('content-encoding', 'gzip');
        reported.append('vary', 'Accept-Encoding');
        reported.delete('content-length');
      }
      outgoing.writeHead(response.status, Object.fromEntries(reported));
      if (!response.body) return void outgoing.end();
      const body = Readable.fromWeb(response.body as WebStream);
      await (zips ? pipeline(body, createGzip(), outgoing) : pipeline(body, outgoing));
    } catch {
      // The client is gone, or the response was interrupted halfway.
      outgoing.destroy();
    }
  };
}
