import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_BATCH_CALLS } from '@/domain/heavy-operations';
import { bearer, makeUser } from '@/test/factories';
import { metricsText } from '../lib/metrics';
import { handleTrpc } from './handle-trpc';
import { type AppRouter, appRouter } from './root';
import { builderFor, router } from './trpc';

let root: Record<string, string>;
beforeAll(async () => {
  root = await bearer(await makeUser('super_admin'));
});

const send = (path: string, init: RequestInit = {}) =>
  handleTrpc(appRouter, new Request(`http://fabric.test/api/trpc/${path}`, init));
const query = (path: string, input?: unknown, headers = root) =>
  send(input === undefined ? path : `${path}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers });
const mutate = (path: string, body: BodyInit, headers: Record<string, string> = root) =>
  send(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

async function readProblem(response: Response) {
  const { error } = await response.json();
  expect(error.data.httpStatus).toBe(response.status);
  expect(error.data.problem.status).toBe(response.status);
  expect(JSON.stringify(error)).not.toMatch(/stack|node_modules|\.ts:/);
  return { status: response.status, code: error.data.problem.code, errors: error.data.problem.errors };
}

describe('tRPC', () => {
  it('answers signed-in callers', async () => {
    const response = await query('settings.get');
    expect((await response.json()).result.data.flow_retention_hours).toBe(24);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect((await (await query('account.me')).json()).result.data.permissions).toContain('*');
  });

  it.each([
    ['no token', {}],
    ['a bad token', { authorization: 'Bearer nonsense' }],
  ])('answers 401 to %s, before it looks at the input', async (_name, headers) => {
    expect(await readProblem(await query('audit.get', 'garbage', headers))).toMatchObject({ status: 401 });
    expect(await readProblem(await query('account.me', undefined, headers))).toMatchObject({ status: 401 });
    expect(await readProblem(await mutate('settings.update', '{"x":', headers))).toMatchObject({ status: 401 });
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'answers %s in its own envelope, with the methods it takes',
    async (method) => {
      const response = await send('settings.get', { method, headers: root });
      expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
      expect(await readProblem(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    },
  );

  it('answers 403 before it looks at the input', async () => {
    const viewer = await bearer(await makeUser('viewer'));
    expect(await readProblem(await query('audit.get', 'garbage', viewer))).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    expect(await readProblem(await mutate('settings.update', '{"x":', viewer))).toMatchObject({ status: 403 });
  });

  it.each([
    ['not JSON', '{"a":', 400, 'malformed'],
    ['an unknown field', '{"colour": 1}', 400, 'malformed'],
    ['a wrong type', '{"flow_retention_hours": "1"}', 400, 'malformed'],
    ['a NUL character', '{"flow_retention_hours": "\\u0000"}', 400, 'malformed'],
    ['deep nesting', `${'['.repeat(200)}${']'.repeat(200)}`, 400, 'malformed'],
    ['nothing', '', 400, 'malformed'],
    ['more than a megabyte', JSON.stringify({ a: 'x'.repeat(1024 * 1024) }), 413, 'too_large'],
  ])('refuses %s', async (_name, body, status, code) => {
    expect(await readProblem(await mutate('settings.update', body))).toMatchObject({ status, code });
  });

  it('refuses more than 16 MB before anything else is looked at, also in a query', async () => {
    const headers = { ...root, 'content-length': String(16 * 1024 * 1024 + 1) };
    for (const response of [
      await query('audit.get', 'garbage', headers),
      await mutate('nowhere.at_all', '{}', headers),
    ])
      expect(await readProblem(response)).toMatchObject({ status: 413, code: 'too_large' });
  });

  it('names wrong fields as REST does', async () => {
    expect((await readProblem(await mutate('settings.update', '{"flow_retention_hours": 0}'))).errors).toEqual([
      { field: 'flow_retention_hours', message: 'At least 1 hour.' },
    ]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['text', '{}', { 'content-type': 'text/plain' }],
    ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['octets', '{}', { 'content-type': 'application/octet-stream' }],
    ['gzip', '{}', { 'content-encoding': 'gzip' }],
  ])('takes only plain JSON, not %s', async (_name, body, headers) => {
    expect(await readProblem(await mutate('settings.update', body, { ...root, ...headers }))).toMatchObject({
      status: 415,
    });
  });

  it('never runs a mutation by GET and knows no other procedures', async () => {
    expect(await readProblem(await query('settings.update', {}))).toMatchObject({ status: 405 });
    expect(await readProblem(await query('settings.nope'))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await readProblem(await query('constructor'))).toMatchObject({ status: 404 });
    expect(await readProblem(await query('__proto__'))).toMatchObject({ status: 404 });
    expect(await readProblem(await send('settings.get?input={"a"', { headers: root }))).toMatchObject({ status: 400 });
  });

  it('answers batches of up to a dozen calls, each for itself, and names the bound to larger ones', async () => {
    const batch = (n: number) => send(`${Array(n).fill('settings.get').join(',')}?batch=1&input={}`, { headers: root });
    const answers = await (await batch(MAX_BATCH_CALLS)).json();
    expect(answers).toHaveLength(MAX_BATCH_CALLS);
    for (const calls of [MAX_BATCH_CALLS + 1, 50]) {
      const response = await batch(calls);
      const { error } = await response.clone().json();
      expect(error.message).toMatch(`has ${calls} calls; the maximum is ${MAX_BATCH_CALLS}. Send several batches.`);
      expect(await readProblem(response)).toMatchObject({ status: 400, code: 'malformed' });
    }
    const mixed = await send('settings.get,audit.get?batch=1&input={"1":{"id":"x"}}', { headers: root });
    expect(mixed.status).toBe(207);
    const [good, bad] = await mixed.json();
    expect(good.result.data.version).toBe(1);
    expect(bad.error.data.problem.code).toBe('malformed');
  });

  it.each([
    ['as a failure when it fails', 'fails', '500'],
    ['apart when its caller left', 'leaves', '499'],
  ] as const)('counts a call %s', async (_name, path, status) => {
    const caller = new AbortController();
    const call = builderFor({ name: path, access: { signedIn: 'test' } } as never).query(() => {
      if (path === 'leaves') caller.abort();
      throw new Error(path);
    });
    await handleTrpc(
      router({ [path]: call }) as never as AppRouter,
      new Request(`http://fabric.test/api/trpc/${path}`, { headers: root, signal: caller.signal }),
    );
    const counted = (await metricsText())
      .split('\n')
      .filter((line) => line.includes('_count{') && line.includes(`path="${path}"`));
    expect(counted).toEqual([expect.stringContaining(`status="${status}"`)]);
  });
});
