import http, { type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHandler } from './serve-handler';

let handler: (request: Request) => Promise<Response> = async () => new Response();
const server = http.createServer(serveHandler((request) => handler(request)));

beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a request as it is and reads the answer as it is: nothing is decompressed on the way. */
function ask(
  options: http.RequestOptions = {},
  body?: string,
): Promise<{ answer: IncomingMessage; bytes: Buffer; asked: http.ClientRequest }> {
  return new Promise((done, fail) => {
    const asked = http.request({ port: (server.address() as AddressInfo).port, ...options }, async (answer) => {
      const bytes = Buffer.concat(await answer.toArray());
      done({ answer, bytes, asked });
    });
    asked.on('error', fail);
    asked.end(body);
  });
}
const zipped = { headers: { 'accept-encoding': 'br, gzip' } };
const document = { items: Array.from({ length: 100 }, (_, at) => ({ name: `web-${at}` })) };

describe('serving a handler without Next', () => {
  it('passes on method, address, headers and body', async () => {
    handler = async (request) =>
      Response.json({
        method: request.method,
        path: request.url.replace(/^http:\/\/[^/]+/, ''),
        kind: request.headers.get('x-kind'),
        body: await request.text(),
      });
    const { bytes } = await ask(
      { method: 'POST', path: '/api/v1/x?a=1&b=%20', headers: { 'x-kind': 'a; b=1' } },
      'sent',
    );
    expect(JSON.parse(bytes.toString())).toEqual({
      method: 'POST',
      path: '/api/v1/x?a=1&b=%20',
      kind: 'a; b=1',
      body: 'sent',
    });
  });

  it('answers whatever a client calls this host', async () => {
    handler = async (request) => new Response(request.headers.get('host'));
    const { answer, bytes } = await ask({ headers: { host: 'not a host' } });
    expect([answer.statusCode, bytes.toString()]).toEqual([200, 'not a host']);
  });

  it('keeps status, headers and every cookie', async () => {
    handler = async () =>
      new Response(null, {
        status: 303,
        headers: [
          ['location', '/login'],
          ['set-cookie', 'a=1; Path=/'],
          ['set-cookie', 'b=2; Path=/'],
        ],
      });
    const { answer } = await ask();
    expect(answer.statusCode).toBe(303);
    expect(answer.headers).toMatchObject({ location: '/login', 'set-cookie': ['a=1; Path=/', 'b=2; Path=/'] });
  });

  it('compresses documents for those who take gzip, and says so to caches', async () => {
    handler = async () => Response.json(document, { headers: { vary: 'Authorization' } });
    const plain = await ask();
    expect(plain.answer.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(plain.bytes.toString())).toEqual(document);
    const { answer, bytes } = await ask(zipped);
    expect(answer.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(bytes.length),
      vary: 'Authorization, Accept-Encoding',
    });
    expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(document);
  });

  it.each([
    ['a short document', () => Response.json({ ok: true })],
    ['an image', () => new Response(new Uint8Array(5_000), { headers: { 'content-type': 'image/png' } })],
    ['what must not be changed', () => Response.json(document, { headers: { 'cache-control': 'no-transform' } })],
  ])('does not compress %s', async (_what, respond) => {
    handler = async () => respond();
    expect((await ask(zipped)).answer.headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['events', { 'content-type': 'text/event-stream', 'cache-control': 'no-transform' }],
    ['a long document', { 'content-type': 'application/json', 'x-accel-buffering': 'no' }],
  ])('passes on pieces of %s as they come', async (_what, headers) => {
    let push: (text: string) => void = () => {};
    handler = async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            push = (text) => controller.enqueue(new TextEncoder().encode(text));
            push('first');
          },
        }),
        { headers },
      );
    const seen: string[] = [];
    const { port } = server.address() as AddressInfo;
    const answer = await new Promise<IncomingMessage>((done) => http.get({ port }, done));
    answer.on('data', (piece) => seen.push(String(piece)));
    await expect.poll(() => seen).toEqual(['first']);
    push('second');
    await expect.poll(() => seen).toEqual(['first', 'second']);
    answer.destroy();
  });

  it.each([
    ['nothing', 0, 200_000],
    ['nothing', 0, 3_000_000],
    ['the first piece', 1, 3_000_000],
    ['everything', Number.POSITIVE_INFINITY, 3_000_000],
  ])('answers the next request of a connection after reading %s of a body', async (_what, most, size) => {
    handler = async (request) => {
      const reader = request.body?.getReader();
      for (let left = most; left > 0 && reader; left -= 1) if ((await reader.read()).done) break;
      return Response.json({ answered: new URL(request.url).pathname });
    };
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    let all = '';
    socket.on('data', (data) => {
      all += data;
    });
    socket.write(`POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
    socket.write('a'.repeat(size));
    socket.write('GET /next HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => all).toMatch(/"\/refused"[\s\S]*"\/next"/);
    socket.destroy();
  });

  it('compresses a file on the way', async () => {
    const file = 'time,source\n'.repeat(20_000);
    handler = async () => new Response(new Blob([file]).stream(), { headers: { 'content-type': 'text/csv' } });
    const { answer, bytes } = await ask(zipped);
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
    expect(gunzipSync(bytes).toString()).toBe(file);
  });

  it('lets the handler know when the client goes away', async () => {
    let signal: AbortSignal | undefined;
    handler = (request) => {
      signal = request.signal;
      return new Promise(() => {});
    };
    const asked = http.get({ port: (server.address() as AddressInfo).port });
    asked.on('error', () => {});
    await expect.poll(() => signal?.aborted).toBe(false);
    asked.destroy();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('ends the connection of an interrupted answer', async () => {
    handler = async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.error(new Error('the database is gone'));
          },
        }),
        { headers: { 'content-type': 'application/x-ndjson' } },
      );
    await expect(ask()).rejects.toThrow();
  });
});
