import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sqlClient } from '@/server/db/client';
import { env } from '@/server/lib/env';
import { metricsText } from '@/server/lib/metrics';
import { bearer, makeUser, signIn } from '@/test/factories';
import { call } from '@/test/request';
import { defineRoute, MAX_BODY_BYTES } from './define-route';
import { handleRequest } from './handle-request';
import { routes } from './routes';

let root: Record<string, string>;
let viewer: Record<string, string>;
let token: string;
beforeAll(async () => {
  root = await bearer(await makeUser('super_admin'));
  viewer = await bearer(await makeUser('viewer'));
  token = (await signIn(await makeUser('super_admin'))).access_token;
});

type Expected = { status: number; code?: string; field?: string; allow?: string };
async function expectProblem(response: Response, { status, code, field, allow }: Expected) {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const problem = JSON.parse(text);
  expect(problem).toMatchObject({
    status,
    type: expect.stringMatching(/^urn:fabric:problem:/),
    title: expect.any(String),
  });
  expect(problem.request_id).toBe(response.headers.get('x-request-id'));
  if (code) expect(problem.code).toBe(code);
  if (field) expect(problem.errors.map((e: { field: string }) => e.field)).toContain(field);
  if (allow) expect(response.headers.get('allow')).toBe(allow);
  expect(text).not.toMatch(/zod|postgres|drizzle|at .*\.ts|node_modules/i);
}

const patch = (body: unknown, headers: Record<string, string> = {}) =>
  call('/settings', { method: 'PATCH', body, headers: { ...root, ...headers } });

describe('without a proper token', () => {
  it.each([
    ['none', {}],
    ['an empty header', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no scheme', { authorization: 'TOKEN' }],
    ['nonsense', { authorization: 'Bearer nonsense' }],
    ['blanks', { authorization: 'Bearer  TOKEN' }],
    ['two tokens', { authorization: 'Bearer TOKEN, Bearer TOKEN' }],
    ['a token that is too long', { authorization: `Bearer ${'a'.repeat(5000)}` }],
    ['an unsigned token', { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.' }],
    ['the token in a cookie', { cookie: 'access_token=TOKEN; fabric_refresh=TOKEN' }],
    ['the token in another header', { 'x-access-token': 'TOKEN', 'proxy-authorization': 'Bearer TOKEN' }],
  ])('answers 401 to %s', async (_name, headers) => {
    const filled = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, v.replaceAll('TOKEN', token)]));
    for (const path of ['/settings', '/audit', '/nothing', `/settings?access_token=${token}`]) {
      const response = await call(path, { headers: filled });
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="fabric"');
      await expectProblem(response, { status: 401, code: 'unauthenticated' });
    }
  });

  it.each(['/a%2fb', '/a%00b', '/%zz', '/a//b', '/settings/', '//settings', '', '/', '/%2e%2e/%2e%2e/etc/passwd'])(
    'answers 401 to the strange address %s, and 404 with a token',
    async (path) => {
      await expectProblem(await call(path), { status: 401 });
      await expectProblem(await call(path, { headers: root }), { status: 404, code: 'not_found' });
    },
  );
});

describe('methods', () => {
  it.each([
    ['POST', '/settings', 'GET, PATCH, HEAD, OPTIONS'],
    ['DELETE', '/audit', 'GET, HEAD, OPTIONS'],
    ['PUT', '/auth/login', 'POST, OPTIONS'],
    ['GET', '/auth/login', 'POST, OPTIONS'],
  ])('answers 405 to %s %s with what works', async (method, path, allow) => {
    await expectProblem(await call(path, { method, headers: root }), {
      status: 405,
      code: 'method_not_allowed',
      allow,
    });
  });

  it('tells strangers about methods of open addresses only', async () => {
    await expectProblem(await call('/settings', { method: 'DELETE' }), { status: 401 });
    await expectProblem(await call('/auth/login'), { status: 405, allow: 'POST, OPTIONS' });
    await expectProblem(await call('/settings', { method: 'OPTIONS' }), { status: 401 });
    const options = await call('/settings', { method: 'OPTIONS', headers: viewer });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, PATCH, HEAD, OPTIONS']);
  });

  it('answers HEAD like GET without a body', async () => {
    for (const [path, headers, status] of [
      ['/settings', root, 200],
      ['/settings', {}, 401],
      ['/nothing', root, 404],
    ] as const) {
      const response = await call(path, { method: 'HEAD', headers });
      expect([response.status, await response.text()]).toEqual([status, '']);
    }
  });
});

describe('the order of checks', () => {
  it('starts with authentication, then permission, then input', async () => {
    const garbage = { method: 'PATCH', body: '{', headers: { 'content-type': 'text/plain' } };
    await expectProblem(await call('/settings?x=1', garbage), { status: 401 });
    await expectProblem(await call('/settings?x=1', { ...garbage, headers: { ...garbage.headers, ...viewer } }), {
      status: 403,
      code: 'forbidden',
    });
    await expectProblem(await call('/settings?x=1', { ...garbage, headers: { ...garbage.headers, ...root } }), {
      status: 415,
    });
  });
});

describe('a request of more than 16 MB', () => {
  const headers = { 'content-length': String(16 * 1024 * 1024 + 1) };

  it('returns 413 on every route before any other check', async () => {
    const refused = await Promise.all(
      routes.map(async ({ method, path }) => {
        const address = path.replace(/\{[^}]+\}/g, '00000000-0000-7000-8000-000000000000');
        const response = await call(address, { method, headers });
        const { detail } = await response.json();
        return [response.status, String(detail).includes('16 MB')];
      }),
    );
    expect(refused.length).toBeGreaterThan(100);
    expect(refused.filter(([status, isNamed]) => status !== 413 || !isNamed)).toEqual([]);
  });

  it.each([
    ['GET', '/nowhere'],
    ['PUT', '/settings'],
    ['OPTIONS', '/settings'],
  ])('returns 413 where no route exists: %s %s', async (method, path) => {
    await expectProblem(await call(path, { method, headers }), { status: 413, code: 'too_large' });
  });
});

describe('bodies', () => {
  const huge = 'x'.repeat(17 * 1024 * 1024);
  let deep = '1';
  for (let i = 0; i < 50; i += 1) deep = `[${deep}]`;

  it.each<[string, unknown, Record<string, string>, Expected]>([
    ['not JSON', '{"a":', {}, { status: 400, code: 'malformed', field: 'body' }],
    ['two JSON values', '{} {}', {}, { status: 400, field: 'body' }],
    ['bytes that are no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), {}, { status: 400, field: 'body' }],
    ['none', undefined, {}, { status: 400, field: 'body' }],
    ['null', 'null', {}, { status: 400, field: 'body' }],
    ['a list', '[]', {}, { status: 400, field: 'body' }],
    ['text', '"x"', {}, { status: 400, field: 'body' }],
    ['an unknown field', { flow_retention_hour: 2 }, {}, { status: 400, field: 'flow_retention_hour' }],
    ['a field of the prototype', '{"__proto__": {"a": 1}}', {}, { status: 400, field: '__proto__' }],
    ['a constructor', '{"constructor": {}}', {}, { status: 400, field: 'constructor' }],
    ['a wrong type', { flow_retention_hours: '24' }, {}, { status: 400, field: 'flow_retention_hours' }],
    ['a NUL character', '{"flow_retention_hours": "\\u0000"}', {}, { status: 400, field: 'flow_retention_hours' }],
    ['half a surrogate pair', '{"a": "\\ud800"}', {}, { status: 400, field: 'a' }],
    ['a NUL in a field name', '{"a\\u0000": 1}', {}, { status: 400, field: 'body' }],
    ['deep nesting', `{"a": ${deep}}`, {}, { status: 400 }],
    ['very deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, {}, { status: 400 }],
    ['text/plain', '{}', { 'content-type': 'text/plain' }, { status: 415, code: 'unsupported_media_type' }],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, { status: 415 }],
    ['multipart', '--x--', { 'content-type': 'multipart/form-data; boundary=x' }, { status: 415 }],
    ['an empty content type', '{}', { 'content-type': ';' }, { status: 415 }],
    ['gzip where it is not taken', gzipSync('{}'), { 'content-encoding': 'gzip' }, { status: 415 }],
    ['17 MB', huge, {}, { status: 413, code: 'too_large' }],
    ['a claim of 17 MB', '{}', { 'content-length': '17825792' }, { status: 413 }],
    ['2 MB that claim to be 2 bytes', huge.slice(0, 2_000_000), { 'content-length': '2' }, { status: 413 }],
  ])('return an error for %s', async (_name, body, headers, expected) => {
    await expectProblem(await patch(body, headers), expected);
  });

  it.each([
    ['application/json', '{}'],
    ['application/json; charset=utf-8', '{}'],
    ['APPLICATION/JSON', '{}'],
    ['application/merge-patch+json', '{}'],
    ['application/json', '\ufeff{}'],
    ['application/json', ' \n{}\n '],
  ])('succeed as %s with %j', async (type, body) => {
    expect((await patch(body, { 'content-type': type, 'content-length': 'abc' })).status).toBe(200);
  });

  it('return an error where none is expected, except an empty object', async () => {
    const route = defineRoute({
      method: 'POST',
      path: '/nobody',
      summary: '',
      tag: '',
      access: { open: 'test' },
      response: { status: 204 },
      handler: async () => undefined,
    });
    const send = (body: unknown) =>
      handleRequest(
        [route],
        new Request('http://fabric.test/api/v1/nobody', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: body === undefined ? undefined : JSON.stringify(body),
        }),
      );
    expect((await send(undefined)).status).toBe(204);
    expect((await send({})).status).toBe(204);
    await expectProblem(await send({ a: 1 }), { status: 400, field: 'body' });
    await expectProblem(await send('x'.repeat(70_000)), { status: 413 });
  });

  it('return 400 when the client aborts the request', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
      },
    });
    const init = { method: 'PATCH', headers: { ...root, 'content-type': 'application/json' }, body, duplex: 'half' };
    const request = new Request('http://fabric.test/api/v1/settings', init as RequestInit);
    await expectProblem(await handleRequest(routes, request), { status: 400, code: 'malformed' });
  });
});

describe('gzip, where a route takes it', () => {
  const route = defineRoute({
    method: 'POST',
    path: '/zipped',
    summary: '',
    tag: '',
    access: { open: 'test' },
    body: z.object({ n: z.number(), fill: z.string().optional() }),
    gzip: true,
    maxBodyBytes: MAX_BODY_BYTES,
    response: { status: 200 },
    handler: async ({ body }) => ({ n: body.n }),
  });
  const send = (body: Uint8Array<ArrayBuffer>, coding = 'gzip') =>
    handleRequest(
      [route],
      new Request('http://fabric.test/api/v1/zipped', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': coding },
        body,
      }),
    );
  const zip = (text: string) => new Uint8Array(gzipSync(text));

  it('inflates the body', async () => {
    expect(await (await send(zip('{"n": 7}'))).json()).toEqual({ n: 7 });
    expect((await send(new TextEncoder().encode('{"n": 7}'), 'identity')).status).toBe(200);
  });

  it('limits the size after inflating, too', async () => {
    const fits = `{"n": 1, "fill": "${'a'.repeat(MAX_BODY_BYTES - 100)}"}`;
    expect((await send(zip(fits))).status).toBe(200);
    await expectProblem(await send(zip('a'.repeat(200 * 1024 * 1024))), { status: 413, code: 'too_large' });
  });

  it('returns an error when broken or of another kind', async () => {
    await expectProblem(await send(zip('{"n": 7}').slice(0, 12)), { status: 400, code: 'malformed' });
    await expectProblem(await send(new TextEncoder().encode('{"n": 7}')), { status: 400 });
    await expectProblem(await send(zip('{"n": 7}'), 'br'), { status: 415 });
  });
});

describe('query parameters', () => {
  it.each([
    ['/settings?colour=red', 'colour'],
    ['/settings?__proto__=x', '__proto__'],
    ['/audit?limit=1&limit=2', 'limit'],
    ['/audit?q=a&q=b', 'q'],
    ['/audit?limit=abc', 'limit'],
    ['/audit?limit=1e3', 'limit'],
    ['/audit?q=%00', 'q'],
    ['/audit?nope=1&__proto__=2&__proto__=3', '__proto__'],
    [`/audit?q=${'a'.repeat(201)}`, 'q'],
  ])('%s: refused by name', async (path, field) => {
    await expectProblem(await call(path, { headers: root }), { status: 400, code: 'malformed', field });
  });

  it('return an error when they are too many', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `p${i}=1`).join('&');
    await expectProblem(await call(`/audit?${many}`, { headers: root }), { status: 400 });
  });

  it('return one error together with those of the body', async () => {
    const response = await call('/settings?a=1', {
      method: 'PATCH',
      body: { b: 1, flow_retention_hours: 0 },
      headers: root,
    });
    const fields = (await response.json()).errors.map((e: { field: string }) => e.field);
    expect(fields.sort()).toEqual(['a', 'b', 'flow_retention_hours']);
  });
});

describe('answers', () => {
  it('keep a well-formed request id and replace any other', async () => {
    const id = async (given: string) =>
      (await call('/settings', { headers: { ...root, 'x-request-id': given } })).headers.get('x-request-id');
    expect(await id('abc-12345')).toBe('abc-12345');
    for (const bad of ['short', 'a b c d e f g h', 'x'.repeat(65), '<script>alert(1)'])
      expect(await id(bad)).not.toBe(bad);
  });

  it('reveal no internals when something fails', async () => {
    const failing = (error: unknown) =>
      defineRoute({
        method: 'GET',
        path: '/failing',
        summary: '',
        tag: '',
        access: { open: 'test' },
        response: { status: 200 },
        handler: async () => {
          throw error;
        },
      });
    const send = (error: unknown) => handleRequest([failing(error)], new Request('http://fabric.test/api/v1/failing'));
    for (const error of [
      new Error('password=hunter2'),
      'text',
      null,
      z.string().safeParse(1).error,
      new RangeError('x'),
    ]) {
      const response = await send(error);
      const text = await response.clone().text();
      expect(text).not.toContain('hunter2');
      await expectProblem(response, { status: 500, code: 'internal' });
    }
    const unique =
      await sqlClient()`insert into roles (id, name, title) values (gen_random_uuid(), 'viewer', 'x')`.catch(
        (e: unknown) => e,
      );
    await expectProblem(await send(unique), { status: 409, code: 'conflict' });
  });
});

describe('metrics', () => {
  it('require this machine or the token', async () => {
    env().FABRIC_METRICS_TOKEN = undefined;
    const own = { 'x-fabric-host': 'localhost:3000' };
    expect((await call('/metrics', { from: '127.0.0.1', headers: own })).status).toBe(200);
    expect((await call('/metrics', { from: '::1', headers: own })).status).toBe(200);
    expect((await call('/metrics', { from: '192.0.2.1', headers: own })).status).toBe(401);
    const forwarded = { ...own, 'x-fabric-forwarded': 'yes' };
    expect((await call('/metrics', { from: '127.0.0.1', headers: forwarded })).status).toBe(401);
    // A page of another site in a browser on this machine, whose name was made to lead here.
    const rebound = { 'x-fabric-host': 'evil.test:3000' };
    expect((await call('/metrics', { from: '127.0.0.1', headers: rebound })).status).toBe(401);
    expect((await call('/metrics', { headers: { ...root, ...own }, from: '192.0.2.1' })).status).toBe(401);
    env().FABRIC_METRICS_TOKEN = 'metrics-token-0123456789';
    const authorization = 'Bearer metrics-token-0123456789';
    const response = await call('/metrics', { from: '192.0.2.1', headers: { authorization } });
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toMatch(/fabric_request_duration_seconds_count\{.*path="\/settings"/);
    expect(
      (await call('/metrics', { from: '192.0.2.1', headers: { authorization: `${authorization}x` } })).status,
    ).toBe(401);
  });

  it.each([
    ['as a failure when it fails', false, '500'],
    ['apart when its caller left', true, '499'],
  ])('count a call %s', async (name, leaves, status) => {
    const path = `/counted-${leaves}` as const;
    const caller = new AbortController();
    const route = defineRoute({
      ...{ method: 'GET', path, summary: '', tag: '', access: { open: 'test' }, response: { status: 200 } },
      handler: async () => {
        if (leaves) caller.abort();
        throw new Error(name);
      },
    });
    await handleRequest([route], new Request(`http://fabric.test/api/v1${path}`, { signal: caller.signal }));
    const counted = (await metricsText()).split('\n').filter((line) => line.includes('_count{') && line.includes(path));
    expect(counted).toEqual([expect.stringContaining(`status="${status}"`)]);
  });
});
