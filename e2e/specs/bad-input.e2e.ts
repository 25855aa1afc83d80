import { request as httpRequest } from 'node:http';
import { expect } from '@playwright/test';
import { signInToApi } from '../fixtures/api';
import { ADMIN, serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';

type Call = { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer };
type Answer = { status: number; type: string; body: string };

/** Sends exactly these bytes: no client library tidies up the path or the headers. */
function send({ method, path, headers = {}, body }: Call): Promise<Answer> {
  const { hostname, port } = new URL(serviceUrl());
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

let token = '';
test.beforeAll(async () => {
  const response = await fetch(`${serviceUrl()}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ADMIN.email, password: ADMIN.password }),
  });
  token = ((await response.json()) as { access_token: string }).access_token;
});

const json = { 'content-type': 'application/json' };
const UNKNOWN_ID = '0190f3a0-0000-7000-8000-00000000dead';
const DEEP = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;

/** What is wrong, the call, and the status; `signed` calls carry a good token. */
const TABLE: [string, Call & { signed?: boolean }, number][] = [
  ['malformed JSON', { method: 'POST', path: '/api/v1/auth/login', headers: json, body: '{"email": "a"' }, 400],
  ['no JSON at all', { method: 'POST', path: '/api/v1/auth/login', headers: json, body: '\u0000\u0001' }, 400],
  [
    'not UTF-8',
    { method: 'POST', path: '/api/v1/auth/login', headers: json, body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) },
    400,
  ],
  ['JSON nested 20,000 deep', { method: 'POST', path: '/api/v1/auth/login', headers: json, body: DEEP }, 400],
  ['an empty body', { method: 'POST', path: '/api/v1/auth/login', headers: json }, 400],
  ['a list for an object', { method: 'POST', path: '/api/v1/auth/login', headers: json, body: '[]' }, 400],
  [
    'wrong types',
    { method: 'POST', path: '/api/v1/auth/login', headers: json, body: '{"email":7,"password":{}}' },
    400,
  ],
  [
    'an unknown field',
    { method: 'POST', path: '/api/v1/auth/login', headers: json, body: '{"email":"a","password":"b","admin":true}' },
    400,
  ],
  [
    'another content type',
    { method: 'POST', path: '/api/v1/auth/login', headers: { 'content-type': 'text/plain' }, body: '{}' },
    415,
  ],
  [
    'a form',
    {
      method: 'POST',
      path: '/api/v1/auth/login',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=a',
    },
    415,
  ],
  [
    '17 MB',
    { method: 'POST', path: '/api/v1/auth/login', headers: json, body: Buffer.alloc(17 * 1024 * 1024, 0x20) },
    413,
  ],
  [
    '17 MB for a procedure',
    {
      signed: true,
      method: 'POST',
      path: '/api/trpc/clusters.create',
      headers: json,
      body: Buffer.alloc(17 * 1024 * 1024, 0x20),
    },
    413,
  ],
  ['no token', { method: 'GET', path: '/api/v1/clusters' }, 401],
  ['a nonsense token', { method: 'GET', path: '/api/v1/clusters', headers: { authorization: 'Bearer x.y.z' } }, 401],
  ['another scheme', { method: 'GET', path: '/api/v1/clusters', headers: { authorization: 'Basic YTpi' } }, 401],
  ['an unknown path, no token', { method: 'GET', path: '/api/v1/nowhere' }, 401],
  ['dots in the path, no token', { method: 'GET', path: '/api/v1/auth/../clusters' }, 404],
  ['encoded dots, no token', { method: 'GET', path: '/api/v1/auth/%2e%2e/clusters' }, 404],
  ['an encoded slash, no token', { method: 'GET', path: '/api/v1/clusters%2f..%2fusers' }, 404],
  ['a doubled slash, no token', { method: 'GET', path: '/api/v1//clusters' }, 404],
  ['an encoded letter, no token', { method: 'GET', path: '/api/v1/%63lusters' }, 401],
  ['a broken escape, no token', { method: 'GET', path: '/api/v1/%zz' }, 400],
  ['an encoded NUL, no token', { method: 'GET', path: '/api/v1/clusters%00' }, 404],
  ['an unknown path', { signed: true, method: 'GET', path: '/api/v1/nowhere' }, 404],
  ['an unknown id', { signed: true, method: 'GET', path: `/api/v1/clusters/${UNKNOWN_ID}` }, 404],
  ['an id that is none', { signed: true, method: 'GET', path: '/api/v1/clusters/1%20or%201=1' }, 404],
  [
    'an unknown id to change',
    { signed: true, method: 'PATCH', path: `/api/v1/clusters/${UNKNOWN_ID}`, headers: json, body: '{"name":"x"}' },
    404,
  ],
  ['an unknown id to delete', { signed: true, method: 'DELETE', path: `/api/v1/clusters/${UNKNOWN_ID}` }, 404],
  [
    'a method that the path does not take',
    { signed: true, method: 'PUT', path: '/api/v1/clusters', headers: json, body: '{}' },
    405,
  ],
  ['a limit that is no number', { signed: true, method: 'GET', path: '/api/v1/workloads?limit=many' }, 400],
  ['a limit beyond all bounds', { signed: true, method: 'GET', path: '/api/v1/workloads?limit=1000000' }, 400],
  ['an unknown sort', { signed: true, method: 'GET', path: '/api/v1/workloads?sort=password_hash' }, 400],
  ['an unknown filter', { signed: true, method: 'GET', path: '/api/v1/workloads?colour=red' }, 400],
  ['a forged cursor', { signed: true, method: 'GET', path: '/api/v1/workloads?cursor=%7B%22a%22%3A1%7D' }, 400],
  [
    'an address that is none',
    {
      signed: true,
      method: 'POST',
      path: '/api/v1/clusters/check',
      headers: json,
      body: '{"api_url":"ftp://x","api_token":"a@b!cc=d"}',
    },
    400,
  ],
  [
    'setup after setup',
    {
      method: 'POST',
      path: '/api/v1/setup/complete',
      headers: json,
      body: '{"email":"a@b","password":"a long enough pass","setup_code":"x"}',
    },
    409,
  ],
];

for (const [what, { signed, ...call }, status] of TABLE) {
  test(`${what}: ${status}`, async () => {
    const headers = { ...(signed && { authorization: `Bearer ${token}` }), ...call.headers };
    const answer = await send({ ...call, headers });
    expect(`${answer.status} ${answer.body.slice(0, 300)}`).toMatch(new RegExp(`^${status} `));
    if (call.path.startsWith('/api/trpc')) return;
    expect(answer.type).toContain('application/problem+json');
    const problem = JSON.parse(answer.body) as Record<string, unknown>;
    expect(problem).toMatchObject({ status, title: expect.any(String), request_id: expect.any(String) });
    // Neither secrets of the request nor the inside of the service are repeated.
    expect(answer.body).not.toMatch(/node_modules|stack|at \w+ \(|postgres|select /i);
  });
}

test('field errors name the field', async () => {
  const answer = await send({ method: 'POST', path: '/api/v1/auth/login', headers: json, body: '{"email":7,"x":1}' });
  const { errors } = JSON.parse(answer.body) as { errors: { field: string }[] };
  expect(errors.map((error) => error.field).sort()).toEqual(['email', 'password', 'x']);
});

test('the service still responds after invalid input', async () => {
  const api = await signInToApi();
  await expect(api('GET', '/clusters')).resolves.toHaveProperty('items');
});
