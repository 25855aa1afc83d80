import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sendJson, serveApi } from '../testing/api-server.fixture';
import { makeAccess, TOKEN, testClient } from '../testing/client.fixture';
import { apiPath } from './encode';

const version = apiPath`/version`;

describe('requests', () => {
  it('carry the token header, no cookie, and parameters of reads and deletes in the query', async () => {
    const server = await serveApi((_, response) => sendJson(response, { data: null }));
    const client = testClient(makeAccess([server]));
    await client.get(apiPath`/nodes/${'pve/1'}/tasks/${'UPID:pve1:0:1@x!y:'}`, { params: { limit: 5, full: true } });
    await client.request({ method: 'DELETE', path: apiPath`/x`, params: { digest: 'abc', pos: undefined } });
    const [read, remove] = server.requests;
    expect(read?.url).toBe('/api2/json/nodes/pve%2F1/tasks/UPID%3Apve1%3A0%3A1%40x!y%3A?limit=5&full=1');
    expect(read?.headers.authorization).toBe(`PVEAPIToken=${TOKEN}`);
    expect(read?.headers).not.toHaveProperty('cookie');
    expect(remove).toMatchObject({ url: '/api2/json/x?digest=abc', body: '' });
    for (const request of [read, remove]) {
      expect(request?.headers).not.toHaveProperty('content-length');
      expect(request?.headers).not.toHaveProperty('transfer-encoding');
    }
  });

  it('carry writes as a form with a length, never in chunks', async () => {
    const server = await serveApi((_, response) => sendJson(response, { data: null }));
    const client = testClient(makeAccess([server]));
    const params = { comment: 'a;b&c=d é', enable: true, log: false, list: ['a', 'b'], absent: undefined };
    await client.request({ method: 'POST', path: apiPath`/x`, params });
    await client.request({ method: 'PUT', path: apiPath`/x` });
    const [post, put] = server.requests;
    expect(post?.body).toBe('comment=a%3Bb%26c%3Dd%20%C3%A9&enable=1&log=0&list=a%2Cb');
    expect(post?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(post?.body.length),
    });
    expect(put?.headers['content-length']).toBe('0');
    expect([post, put].map((r) => r?.headers['transfer-encoding'])).toEqual([undefined, undefined]);
  });

  it('share one connection for reads and use a fresh one for each write', async () => {
    const server = await serveApi((_, response) => sendJson(response, { data: null }));
    const client = testClient(makeAccess([server]));
    for (let i = 0; i < 3; i++) await client.get(version);
    expect(server.connections()).toBe(1);
    for (let i = 0; i < 2; i++) await client.request({ method: 'PUT', path: version });
    expect(server.connections()).toBe(3);
  });
});

describe('answers', () => {
  it('get inflated', async () => {
    const server = await serveApi((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ data: 'x'.repeat(5000), total: 3 })));
    });
    const result = await testClient(makeAccess([server])).get(version);
    expect(result).toMatchObject({ data: 'x'.repeat(5000), total: 3 });
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it.each([100, 5000])('have status 595 with any body (%i bytes of noise)', async (size) => {
    const server = await serveApi((_, response) => sendJson(response, '\0'.repeat(size), 595, 'No route to host'));
    await expect(testClient(makeAccess([server])).get(version, { node: 'pve2' })).rejects.toMatchObject({
      code: 'node_unreachable',
      detail: { status: 595, providerMessage: 'No route to host', object: 'pve2' },
    });
  });

  it('have status 599 without reason and body', async () => {
    const server = await serveApi((request) => {
      request.socket.end('HTTP/1.1 599 \r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    await expect(testClient(makeAccess([server])).get(version, { node: 'pve2' })).rejects.toMatchObject({
      code: 'node_unreachable',
      detail: { status: 599 },
    });
  });

  it('take the message of the body before that of the status line, and keep field errors', async () => {
    const body = { data: null, message: 'Parameter verification failed.\n', errors: { dport: "invalid port 'www'\n" } };
    const server = await serveApi((_, response) => sendJson(response, body, 400, 'Parameter verification failed.'));
    await expect(testClient(makeAccess([server])).get(version)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: "The cluster rejected a value (400 dport: invalid port 'www')",
      detail: { errors: { dport: "invalid port 'www'" }, providerMessage: 'Parameter verification failed.' },
    });
  });

  it('fall back to the status line of older nodes', async () => {
    const reason = 'Permission check failed (/vms/100, VM.Audit)';
    const server = await serveApi((_, response) => sendJson(response, { data: null }, 403, reason));
    await expect(testClient(makeAccess([server])).get(version)).rejects.toMatchObject({
      code: 'forbidden',
      message: `The API token lacks VM.Audit on /vms/100 (403 ${reason})`,
      remedy: expect.stringContaining('VM.Audit on /vms/100'),
    });
  });

  it('lose the secret when they repeat the token', async () => {
    const secret = TOKEN.split('=')[1] ?? '';
    const server = await serveApi((_, response) => sendJson(response, { message: `no token ${secret}\r\n` }, 500));
    const error = await testClient(makeAccess([server]))
      .get(version)
      .catch((e) => e);
    expect(error.message).toContain('no token …');
    expect(JSON.stringify({ ...error, text: error.message })).not.toContain(secret);
  });

  it.each([
    ['a web page', 200, 'text/html', '<!DOCTYPE html><title>Login</title>'],
    ["a proxy's error page", 502, 'text/html', '<html>Bad Gateway</html>'],
    ["a proxy's bare error", 504, 'text/plain', 'upstream timed out'],
    ['something that is not JSON', 200, 'application/json', '{"data":'],
    ['JSON without data', 200, 'application/json', '{"items":[]}'],
    ['a JSON list', 200, 'application/json', '[]'],
    ['nothing', 200, 'application/json', ''],
    ['a redirect', 302, 'text/plain', ''],
    ['a status that the API does not have', 404, 'application/json', '{"error":"not found"}'],
  ])('name the remedy when they are %s', async (_, status, type, body) => {
    const server = await serveApi((_request, response) => {
      response.writeHead(status, { 'Content-Type': type, Location: 'https://elsewhere.test/' }).end(body);
    });
    await expect(testClient(makeAccess([server])).get(version)).rejects.toMatchObject({
      code: 'bad_answer',
      remedy: expect.stringMatching(/8006/),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('cause one more request when they end early, and then an error', async () => {
    const server = await serveApi((request, response) => {
      response.writeHead(200, { 'Content-Length': 1000 });
      response.write('{"data":', () => request.socket.destroy());
    });
    await expect(testClient(makeAccess([server])).get(version)).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('complete'),
    });
    expect(server.requests).toHaveLength(2);
  });

  it('stop at the limit, inflated ones too', async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, 0x20));
    const server = await serveApi((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' });
      response.end(bomb);
    });
    await expect(testClient(makeAccess([server])).get(version)).rejects.toMatchObject({
      code: 'bad_answer',
      message: 'The response is larger than 32 MiB',
    });
  });

  it('cause an error with broken gzip or an encoding that was not requested', async () => {
    let encoding = 'gzip';
    const server = await serveApi((_, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding });
      response.end('{"data":1}');
    });
    const client = testClient(makeAccess([server]));
    await expect(client.get(version)).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('gzip'),
    });
    encoding = 'br';
    await expect(client.get(version)).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('br'),
    });
  });
});

describe('time', () => {
  const timeouts = { read: 150, write: 150 };

  it('runs out for a node that does not answer', async () => {
    const server = await serveApi(() => {});
    const client = testClient(makeAccess([server]), { timeouts });
    await expect(client.get(version)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('150 ms'),
    });
    const write = client.request({ method: 'PUT', path: version });
    await expect(write).rejects.toMatchObject({ code: 'timeout', detail: { outcomeUnknown: true } });
    expect(server.requests).toHaveLength(2);
  });

  it('runs out for an answer that drips', async () => {
    const server = await serveApi((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    });
    await expect(testClient(makeAccess([server]), { timeouts }).get(version)).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('runs out for a port that accepts and stays silent', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const client = testClient(makeAccess([{ url: `https://127.0.0.1:${port}` }]), { timeouts: { connect: 500 } });
    await expect(client.get(version)).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('TLS'),
    });
    const write = client.request({ method: 'PUT', path: version });
    await expect(write).rejects.toSatisfy((error) => error.detail.outcomeUnknown === undefined);
  });
});

describe('broken connections', () => {
  it('cause one more connection for a read', async () => {
    let broken = 1;
    const server = await serveApi((request, response) => {
      if (broken-- > 0) request.socket.destroy();
      else sendJson(response, { data: 'ok' });
    });
    await expect(testClient(makeAccess([server])).get(version)).resolves.toMatchObject({ data: 'ok' });
  });

  it('never repeat a write, whose outcome is then unknown', async () => {
    const server = await serveApi((request) => request.socket.destroy());
    await expect(testClient(makeAccess([server])).request({ method: 'POST', path: version })).rejects.toMatchObject({
      code: 'unreachable',
      detail: { outcomeUnknown: true },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('leave no doubt when nothing was sent', async () => {
    const server = await serveApi(() => {});
    await server.stop();
    const error = await testClient(makeAccess([server]))
      .request({ method: 'POST', path: version })
      .catch((e) => e);
    expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
    expect(error.detail.outcomeUnknown).toBeUndefined();
  });

  it('name a port that does not speak TLS', async () => {
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void plain.close());
    const { port } = plain.address() as AddressInfo;
    await expect(testClient(makeAccess([{ url: `https://127.0.0.1:${port}` }])).get(version)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(`TLS handshake with 127.0.0.1 port ${port} failed`),
    });
  });
});
