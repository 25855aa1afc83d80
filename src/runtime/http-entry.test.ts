import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEAVY_ELSEWHERE } from '@/domain/heavy-operations';
import { STAMPED } from '@/server/auth/origin';
import { API_POLICY } from './content-security';
import { installHttpEntry } from './http-entry';

const original = http.createServer;
let server: http.Server;

beforeAll(async () => {
  installHttpEntry(['127.0.0.1/32']);
  // Stub for Next: returns the request it received.
  server = http.createServer((request, response) => {
    response.end(JSON.stringify({ url: request.url, headers: request.headers, raw: request.rawHeaders }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  http.createServer = original;
  Reflect.deleteProperty(globalThis, STAMPED);
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

/** Sends bytes as they are: no client library tidies them up. */
function send(
  text: string,
): Promise<{ status: number; type: string; allow: string; body: string; header: (name: string) => string }> {
  return new Promise((done, fail) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let all = '';
    socket.on('data', (data) => {
      all += data;
    });
    socket.on('error', fail);
    socket.on('close', () => {
      const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(all)?.[1]?.trim() ?? '';
      done({
        status: Number(all.split(' ')[1]),
        type: header('content-type'),
        allow: header('allow'),
        body: all.slice(all.indexOf('\r\n\r\n') + 4),
        header,
      });
    });
    socket.write(text);
  });
}
const request = (method: string, target: string, headers = '') =>
  send(`${method} ${target} HTTP/1.1\r\nHost: fabric.test\r\nConnection: close\r\n${headers}\r\n`);

describe('the HTTP entry', () => {
  it('keeps connections longer than proxies do', async () => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(Number(/timeout=(\d+)/.exec(answer.headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(120);
    await answer.text();
  });

  it('closes although clients keep their connections', async () => {
    const other = http.createServer((_, response) => response.end('ok'));
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const agent = new http.Agent({ keepAlive: true });
    const [response] = await once(http.get({ agent, port: (other.address() as AddressInfo).port }), 'response');
    response.resume();
    await once(response, 'end');
    await new Promise((done) => other.close(done));
    agent.destroy();
  });

  it.each([
    '/api/v1//settings',
    '//api/v1/settings',
    '/api//v1',
    '/api/',
    '/api/v1/',
    '/api/v1/settings/',
    '/api/v1/../settings',
    '/api/v1/./settings',
    '/api/v1/%2e%2e/settings',
    '/api/v1/%2E/settings',
    '/api/v1/a%2fb',
    '/api/v1/a%5cb',
    '/api/v1/a\\b',
    '/api\\v1',
    '/api/v1/a%00b',
    'http://evil.test/api/v1//settings',
  ])('answers %s itself: there is nothing', async (target) => {
    const response = await request('GET', target);
    expect([response.status, response.type]).toEqual([404, 'application/problem+json']);
    expect(JSON.parse(response.body)).toMatchObject({ code: 'not_found', status: 404 });
  });

  it.each(['/api/v1/%zz', '/api/v1/%', '/%c0%af', '/api/v1/%ff', '*'])('calls %s malformed', async (target) => {
    const response = await request('GET', target);
    expect([response.status, response.type]).toEqual([400, 'application/problem+json']);
  });

  it.each(['TRACE', 'PROPFIND', 'SEARCH'])('takes no %s', async (method) => {
    const response = await request(method, '/api/v1/settings');
    expect([response.status, response.type]).toEqual([405, 'application/problem+json']);
    expect(response.allow).toContain('PATCH');
  });

  it.each([
    ['hello\r\n\r\n', 400],
    ['GET /api/v1/settings HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', 400],
    [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('answers what is no proper HTTP: %#', async (text, status) => {
    const response = await send(text);
    expect([response.status, response.type]).toEqual([status, 'application/problem+json']);
  });

  it.each(['/api/v1/settings?x=%zz&y=//', '/api/v1/a%20b/%C3%A9', '/api', '/apis//x', '/policies//1', '/'])(
    'lets %s through',
    async (target) => {
      const response = await request('GET', target);
      expect(response.status).toBe(200);
      expect(JSON.parse(response.body).url).toBe(target);
    },
  );

  it('takes a whole URL as a proxy would get it, and goes by its path', async () => {
    expect(JSON.parse((await request('GET', 'http://evil.test/policies?a=1')).body).url).toBe('/policies?a=1');
    expect(JSON.parse((await request('GET', 'http://evil.test')).body).url).toBe('/');
  });

  it('replaces what a client sends under our names', async () => {
    const lies =
      'X-Fabric-Peer: 6.6.6.6\r\nx-fabric-peer: 7.7.7.7\r\nX-Fabric-Proto: https\r\nX-Fabric-Host: evil.test\r\nX-Fabric-Forwarded: maybe\r\n';
    const seen = JSON.parse((await request('GET', '/', lies)).body);
    expect(seen.headers).toMatchObject({
      'x-fabric-peer': '127.0.0.1',
      'x-fabric-proto': 'http',
      'x-fabric-host': 'fabric.test',
      'x-fabric-forwarded': 'no',
    });
    expect(seen.raw.join()).not.toMatch(/6\.6\.6\.6|7\.7\.7\.7|evil|maybe/);
  });

  it('believes its trusted proxy', async () => {
    const seen = JSON.parse(
      (await request('GET', '/', 'X-Forwarded-For: 203.0.113.5\r\nX-Forwarded-Proto: https\r\n')).body,
    );
    expect(seen.headers).toMatchObject({
      'x-fabric-peer': '203.0.113.5',
      'x-fabric-proto': 'https',
      'x-fabric-forwarded': 'yes',
    });
  });

  it('hides page headers from the API, not from pages', async () => {
    const seen = async (target: string) => JSON.parse((await request('GET', target, 'RSC: 1\r\n')).body).headers;
    expect(await seen('/api/v1/settings')).not.toHaveProperty('rsc');
    expect(await seen('/policies')).toHaveProperty('rsc');
  });
});

describe('who answers', () => {
  it.each([
    ['/api/v1/settings', 'api'],
    ['/api/trpc/settings.read', 'api'],
    ['/api/unknown', 'api'],
    ['/api', 'api'],
    ['/api/v1/topology', 'heavy'],
    ['/', 'pages'],
    ['/policies/api/v1', 'pages'],
    ['/apis', 'pages'],
  ])('leaves %s to %s', async (path, expected) => {
    const by =
      (name: string): http.RequestListener =>
      (_request, response) =>
        response.end(name);
    http.createServer = original;
    installHttpEntry([], { api: by('api'), heavy: by('heavy') });
    const parted = http.createServer(by('pages'));
    await new Promise<void>((done) => parted.listen(0, '127.0.0.1', done));
    const { port } = parted.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).toBe(expected);
    parted.closeAllConnections();
    parted.close();
    Reflect.deleteProperty(globalThis, HEAVY_ELSEWHERE);
  });
});

describe('response headers sent to the browser', () => {
  const fetchHeaders = async (path: string, headers = '') => {
    const { body } = await request('GET', path, headers);
    return JSON.parse(body) as { headers: Record<string, string> };
  };
  const fetchPolicy = async (path: string) => {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { policy: response.headers.get('content-security-policy') ?? '', response };
  };
  const nonceIn = (text: string) => /'nonce-([^']+)'/.exec(text)?.[1];

  it('lets a page run only scripts with the nonce of this response, which is also passed to Next', async () => {
    const { policy, response } = await fetchPolicy('/clusters');
    const found =
      ((await response.json()) as { headers: Record<string, string> }).headers['content-security-policy'] ?? '';
    expect(nonceIn(policy)).toMatch(/^[A-Za-z0-9+/]{24}$/);
    expect(found).toBe(policy);
    expect(nonceIn((await fetchPolicy('/clusters')).policy)).not.toBe(nonceIn(policy));
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/);
    for (const rule of ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "default-src 'self'"]) {
      expect(policy.split('; ')).toContain(rule);
    }
  });

  it('does not let a client choose the nonce', async () => {
    const chosen =
      "Content-Security-Policy: script-src 'nonce-mine'\r\nContent-Security-Policy-Report-Only: script-src 'nonce-mine'\r\n";
    expect(JSON.stringify((await fetchHeaders('/clusters', chosen)).headers)).not.toContain('nonce-mine');
    expect(JSON.stringify((await fetchHeaders('/api/v1/settings', chosen)).headers)).not.toContain('nonce-mine');
  });

  it('lets an answer of the API do nothing', async () => {
    const { policy, response } = await fetchPolicy('/api/v1/settings');
    expect(policy).toBe(API_POLICY);
    expect(policy).toBe("default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it.each([
    ['an address that is none', 'GET /api/v1//settings HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'],
    ['a page that is none', 'GET /%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'],
    ['a method that is not taken', 'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'],
    ['what is no HTTP', 'hello\r\n'],
    ['headers that are too large', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n`],
  ])('lets its own answer to %s do nothing either', async (_what, text) => {
    const { status, header } = await send(`${text}\r\n`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect({
      policy: header('content-security-policy'),
      sniff: header('x-content-type-options'),
      resource: header('cross-origin-resource-policy'),
      cache: header('cache-control'),
    }).toEqual({ policy: API_POLICY, sniff: 'nosniff', resource: 'same-origin', cache: 'no-store' });
  });

  it('holds browsers to TLS on what it refuses itself, too', async () => {
    const refused = await request('GET', '/api/v1//settings', 'X-Forwarded-Proto: https\r\n');
    expect(refused.header('strict-transport-security')).toBe('max-age=31536000');
  });

  it('holds browsers to TLS that came over it, and no others', async () => {
    const { port } = server.address() as AddressInfo;
    const over = async (proto: string) =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-forwarded-proto': proto } })).headers.get(
        'strict-transport-security',
      );
    expect(await over('https')).toBe('max-age=31536000');
    expect(await over('http')).toBe(null);
  });
});

describe('a slow request', () => {
  it.each([
    ['body', 'POST /api/v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'],
    ['header', 'POST /api/v1/x HTTP/1.1\r\nHost: x\r\nContent-Le'],
  ])('ends with 408 when its %s does not arrive in time', async (_part, text) => {
    http.createServer = original;
    installHttpEntry([], { requestMs: 200 });
    const slow = http.createServer((request, response) => request.resume().on('end', () => response.end('whole')));
    await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
    const socket = connect((slow.address() as AddressInfo).port, '127.0.0.1');
    let all = '';
    socket.on('data', (data) => {
      all += data;
    });
    socket.on('error', () => {});
    // A byte now and then keeps the connection from being idle.
    const drip = setInterval(() => socket.write(text.includes('Content-Length') ? ' ' : 'n'), 100);
    socket.write(text);
    await once(socket, 'close');
    clearInterval(drip);
    expect(all.split('\r\n')[0]).toBe('HTTP/1.1 408 Request Timeout');
    expect(all).toContain('application/problem+json');
    slow.closeAllConnections();
    await new Promise((done) => slow.close(done));
  });
});

describe('closing', () => {
  /** Connects in a process of its own, and says what came of it. */
  const CLIENT = `
    const one = require('node:http').get({ port: process.argv[1], agent: false }, (response) => {
      response.resume().on('end', () => process.stdout.write('answered ' + response.statusCode));
    });
    one.on('socket', (socket) => socket.on('connect', () => process.stdout.write('connected ')));
    one.on('error', (error) => process.stdout.write(error.code));`;
  /** Blocks this process: nothing else runs in it during this time. */
  const busy = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

  it('answers clients that connected while the process was busy, and refuses later connections', async () => {
    const closing = http.createServer((_, response) => response.end());
    await new Promise<void>((done) => closing.listen(0, '127.0.0.1', done));
    const { port } = closing.address() as AddressInfo;
    const client = spawn(process.execPath, ['-e', CLIENT, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    let found = '';
    client.stdout.on('data', (text) => {
      found += text;
    });
    await once(client, 'spawn');
    // It connects in this time: the kernel holds the connection, and the process ends before it has looked.
    busy(1_000);
    const closed = new Promise((done) => closing.close(done));
    await once(client, 'close');
    expect(found).toBe('connected answered 200');
    await closed;
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });
});
