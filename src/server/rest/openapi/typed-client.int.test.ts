import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newApiToken } from '@/server/access/account/api-tokens';
import { hashToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { apiTokens } from '@/server/db/schema/sign-in';
import { env } from '@/server/lib/env';
import { bundled } from '@/test/bundle';
import { makeUser } from '@/test/factories';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const run = promisify(execFile);

/** What a user who has only the document would write. A wrong type here is a compile error. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema';

export type Tenant = components['schemas']['Tenant'];

export async function tour(baseUrl: string, token: string) {
  const api = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + token } });
  const made = await api.POST('/tenants', { body: { name: 'Typed', description: 'made by a typed client' } });
  if (!made.data) throw new Error(made.error.detail);
  const params = { path: { tenant_id: made.data.id } };
  const read = await api.GET('/tenants/{tenant_id}', { params });
  const changed = await api.PATCH('/tenants/{tenant_id}', { params, body: { name: 'Typed again', version: made.data.version } });
  const stale = await api.PATCH('/tenants/{tenant_id}', { params, body: { name: 'Too late', version: made.data.version } });
  const listed = await api.GET('/tenants', { params: { query: { q: 'Typed', limit: 10, sort: '-name' } } });
  const names: string[] = (listed.data?.items ?? []).map((tenant: Tenant) => tenant.name);
  const refused = await api.GET('/users');
  const wrong = await api.GET('/tenants', { params: { query: { limit: 9999 } } });
  const gone = await api.DELETE('/tenants/{tenant_id}', { params });
  const missing = await api.GET('/tenants/{tenant_id}', { params });
  return {
    read: read.data?.description,
    changed: changed.data?.version,
    stale: stale.error?.code,
    names,
    refused: refused.error?.code,
    wrong: wrong.error?.errors?.[0]?.field,
    gone: gone.response.status,
    missing: missing.error?.code,
  };
}

export async function mistakes(baseUrl: string) {
  const api = createClient<paths>({ baseUrl });
  // @ts-expect-error there is no such call
  await api.GET('/tenant');
  // @ts-expect-error a tenant needs a name
  await api.POST('/tenants', { body: { description: 'nameless' } });
  // @ts-expect-error not one of the fields to sort by
  await api.GET('/tenants', { params: { query: { sort: 'colour' } } });
  // @ts-expect-error the id is missing
  await api.GET('/workloads/{workload_id}', {});
}
`;

const program = bundled('src/test/web-process.fixture.ts');
let directory: string;
let web: ChildProcess;
let base: string;
let token: string;

beforeAll(async () => {
  // Inside the project, so that the client finds its packages.
  mkdirSync(path('../../../../node_modules/.cache'), { recursive: true });
  directory = mkdtempSync(path('../../../../node_modules/.cache/typed-client-'));
  web = spawn(process.execPath, [program()], {
    env: {
      NODE_ENV: 'production',
      PATH: '/usr/bin:/bin',
      DATABASE_URL: env().DATABASE_URL,
      FABRIC_SECRET_KEY: 'typed-client-secret-key-typed-client-secret',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    web.once('message', (message) => resolve(message as { port: number }));
    web.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)));
  });
  base = `http://127.0.0.1:${port}/api/v1`;
  const made = newApiToken();
  token = made.token;
  await db.insert(apiTokens).values({
    user_id: (await makeUser('super_admin')).id,
    name: 'typed client',
    prefix: made.prefix,
    token_hash: hashToken(token),
    permissions: ['tenant:read', 'tenant:write'],
    expires_at: '2999-01-01T00:00:00Z',
  });
}, 60_000);
afterAll(() => {
  web?.kill();
  rmSync(directory, { recursive: true, force: true });
});

it('works with types made from the served document, which tell wrong calls apart', async () => {
  const served = await fetch(`${base}/openapi.json`);
  expect(served.status).toBe(200);
  const etag = served.headers.get('etag') ?? '';
  const again = await fetch(`${base}/openapi.json`, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);

  const types = astToString(await openapiTS((await served.json()) as OpenAPI3));
  writeFileSync(join(directory, 'schema.d.ts'), types);
  writeFileSync(join(directory, 'client.ts'), CLIENT);
  const options = { strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'esnext', types: [] };
  const compilerOptions = { ...options, moduleResolution: 'bundler', lib: ['es2022', 'dom'] };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
  const tsc = path('../../../../node_modules/typescript/bin/tsc');
  const compiled = await run(process.execPath, [tsc, '-p', directory]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');

  const client: { tour(base: string, token: string): Promise<unknown> } = await import(join(directory, 'client.ts'));
  expect(await client.tour(base, token)).toEqual({
    read: 'made by a typed client',
    changed: 2,
    stale: 'version_conflict',
    names: ['Typed again'],
    refused: 'forbidden',
    wrong: 'limit',
    gone: 204,
    missing: 'not_found',
  });
});
