import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { promisify } from 'node:util';
import { createGzip, gzip as gzipWhole } from 'node:zlib';

const gzip = promisify(gzipWhole);

const COMPRESSIBLE = /^(?:text\/|application\/(?:[a-z.-]+\+)?(?:json|x-ndjson))/;
/** Documents, which are in memory already, unless they ask not to be buffered. What else there is may be endless or large. */
const WHOLE = /^application\/(?:[a-z.-]+\+)?json(?:;|$)/;
/** Shorter ones fit into a packet as they are (bytes). */
const MIN_COMPRESSED = 1_024;
/** The cheapest level: a third of the work of the usual one, for answers a tenth larger. */
const LEVEL = 1;

const isBodyless = (method: string | undefined) => method === 'GET' || method === 'HEAD';

/**
 * The body of a request, read only as far as the handler reads. What it leaves is discarded once the answer is sent: the next request
 * of the connection comes behind it. (`Readable.toWeb` reads ahead, and Node discards nothing then.)
 */
function toBody(incoming: IncomingMessage, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  const pieces = incoming.iterator({ destroyOnReturn: false });
  outgoing.on('finish', async () => {
    await pieces.return?.();
    incoming.resume();
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** The request as handlers get it. Who asked, and by which name, is in headers that the entry has stamped. */
function toRequest(incoming: IncomingMessage, outgoing: ServerResponse, signal: AbortSignal): Request {
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new Request(`http://localhost${incoming.url}`, {
    method: incoming.method,
    headers,
    signal,
    ...(!isBodyless(incoming.method) && { body: toBody(incoming, outgoing), duplex: 'half' }),
  });
}

async function send(response: Response, takesGzip: boolean, outgoing: ServerResponse): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  const zips = takesGzip && COMPRESSIBLE.test(type) && !response.headers.get('cache-control')?.includes('no-transform');
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  outgoing.statusCode = response.status;
  if (!response.body) return void outgoing.end();
  if (zips) outgoing.appendHeader('vary', 'Accept-Encoding');
  if (WHOLE.test(type) && response.headers.get('x-accel-buffering') !== 'no') {
    const body = Buffer.from(await response.arrayBuffer());
    const zipped = zips && body.length >= MIN_COMPRESSED;
    if (zipped) outgoing.setHeader('content-encoding', 'gzip');
    const sent = zipped ? await gzip(body, { level: LEVEL }) : body;
    outgoing.setHeader('content-length', sent.length);
    return void outgoing.end(sent);
  }
  const body = Readable.fromWeb(response.body as WebStream);
  if (!zips) return pipeline(body, outgoing);
  outgoing.setHeader('content-encoding', 'gzip');
  outgoing.removeHeader('content-length');
  return pipeline(body, createGzip({ level: LEVEL }), outgoing);
}

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
      const response = await handler(toRequest(incoming, outgoing, gone.signal));
      await send(response, /\bgzip\b/.test(incoming.headers['accept-encoding'] ?? ''), outgoing);
    } catch {
      // The client is gone, or the response was interrupted halfway.
      outgoing.destroy();
    }
  };
}
