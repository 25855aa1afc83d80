import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { findClusterRow } from '@/server/inventory/queries/clusters';
import { keyId, seal, unseal } from '@/server/lib/crypto';
import { env } from '@/server/lib/env';
import { makeCluster } from '@/test/factories';
import { call } from '@/test/request';
import { buildFabric, fabric as runFabric } from './testing.fixture';

const KEY = 'test-secret-key-test-secret-key-test-secret';
const PASSWORD = 'a long walk by the river';
const EMAIL = 'ada@example.org';

let program: Awaited<ReturnType<typeof buildFabric>>;
let directory: string;
const fabric = (args: readonly string[], variables: Record<string, string> = {}, input = '') =>
  runFabric(
    program.file,
    args,
    { DATABASE_URL: env().DATABASE_URL ?? '', FABRIC_SECRET_KEY: KEY, ...variables },
    input,
  );
const createAdmin = (args: readonly string[], password: string) =>
  fabric(['create-admin', ...args, '--password-file', '-'], {}, `${password}\n`);
const login = (password: string) => call('/auth/login', { body: { email: EMAIL, password }, from: '192.0.2.1' });

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-cli-'));
  program = await buildFabric();
}, 60_000);
afterAll(() => {
  program.remove();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

describe('fabric create-admin', () => {
  it('makes the first administrator, after which the setup is over', async () => {
    for (const [password, message] of [
      ['short', /at least 12 characters/],
      [EMAIL, /not your email address/],
    ] as const) {
      const { status, stderr } = await createAdmin([EMAIL], password);
      expect(status).not.toBe(0);
      expect(stderr).toMatch(message);
    }
    const made = await createAdmin([' Ada@Example.org ', '--name', 'Ada'], PASSWORD);
    expect(made).toMatchObject({ status: 0, stdout: `${EMAIL} is now a super administrator.\n` });
    const signedIn = await login(PASSWORD);
    expect(await signedIn.json()).toMatchObject({ user: { email: EMAIL, name: 'Ada' } });
    expect(await (await call('/setup/status')).json()).toMatchObject({ completed: true });
    expect(made.stderr + made.stdout).not.toContain(PASSWORD);
  });

  it('lets a locked-out user in, and no other user', async () => {
    const taken = await createAdmin([EMAIL], PASSWORD);
    expect(taken).toMatchObject({ status: 1 });
    expect(taken.stderr).toMatch(/An account .* already exists\. Use --reset/);
    const { access_token } = (await (await login(PASSWORD)).json()) as { access_token: string };
    for (let n = 0; n < 6; n += 1) await login('a wrong password');
    expect((await login(PASSWORD)).status).toBe(429);
    await sqlClient()`update users set active = false, password_sign_in = false`;
    await sqlClient()`update role_assignments set expires_at = now() - interval '1 day'`;
    const again = await createAdmin([EMAIL, '--reset'], 'another walk in the snow');
    expect(again).toMatchObject({ status: 0, stdout: `${EMAIL} is again a super administrator.\n` });
    expect((await login(PASSWORD)).status).toBe(401);
    const fresh = (await (await login('another walk in the snow')).json()) as { access_token: string };
    const me = (token: string) => call('/auth/me', { headers: { authorization: `Bearer ${token}` } });
    expect((await me(access_token)).status).toBe(401);
    expect(await (await me(fresh.access_token)).json()).toMatchObject({ permissions: expect.arrayContaining(['*']) });
    const [record] =
      await sqlClient()`select action, after from audit_records where action = 'user.administrator_reset'`;
    expect(record?.after).toMatchObject({ role: 'super_admin', ended_sessions: 2 });
    expect((await fabric(['create-admin', EMAIL])).stderr).toContain('There is no terminal');
  });
});

describe('fabric rotate-keys', () => {
  it('takes both keys from the environment in production mode, and both are accepted during the rotation', async () => {
    const next = 'n'.repeat(44);
    const { id } = await makeCluster();
    const { sealed, key_id } = seal('the token', id, KEY);
    await sqlClient()`update clusters set api_token_encrypted = ${sealed}, api_token_key_id = ${key_id} where id = ${id}`;
    const missing = await fabric(['rotate-keys']);
    expect(missing).toMatchObject({ status: 1 });
    expect(missing.stderr).toMatch(/set FABRIC_SECRET_KEY to a new key .* FABRIC_PREVIOUS_SECRET_KEY/);
    const token = ((await (await login('another walk in the snow')).json()) as { access_token: string }).access_token;
    env().FABRIC_SECRET_KEY = next;
    env().FABRIC_PREVIOUS_SECRET_KEY = KEY;
    const me = () => call('/auth/me', { headers: { authorization: `Bearer ${token}` } });
    const stored = async () => {
      const row = await findClusterRow(db, id);
      return { sealed: row?.api_token_encrypted ?? '', key_id: row?.api_token_key_id ?? '' };
    };
    expect((await me()).status).toBe(200);
    expect(unseal(await stored(), id)).toBe('the token');
    const rotated = await fabric(['rotate-keys'], { FABRIC_SECRET_KEY: next, FABRIC_PREVIOUS_SECRET_KEY: KEY });
    expect(rotated, rotated.stderr).toMatchObject({ status: 0, stdout: `The current key is ${keyId(next)}.\n` });
    expect(unseal(await stored(), id, next)).toBe('the token');
    env().FABRIC_PREVIOUS_SECRET_KEY = undefined;
    expect(unseal(await stored(), id)).toBe('the token');
    expect((await me()).status).toBe(401);
    env().FABRIC_SECRET_KEY = KEY;
  });

  it('creates the key itself in embedded mode, and resumes an interrupted rotation', async () => {
    const data = { DATABASE_URL: '', FABRIC_SECRET_KEY: '', FABRIC_DATA_DIR: join(directory, 'data') };
    const secret = (name: string) => join(directory, 'data', 'secrets', name);
    const backup = join(directory, 'backup.tar.gz');
    const [{ id = '' } = {}] = await sqlClient()`select id from clusters limit 1`;
    const { sealed, key_id } = seal('the token', id, KEY);
    await sqlClient()`update clusters set api_token_encrypted = null, api_token_key_id = null`;
    await sqlClient()`update clusters set api_token_encrypted = ${sealed}, api_token_key_id = ${key_id} where id = ${id}`;
    const made = await fabric(['backup', '-o', backup]);
    expect(made.status, made.stderr).toBe(0);
    expect((await fabric(['restore', backup, '--accept-lost-secrets'], data)).status).toBe(0);
    writeFileSync(secret('secret_key'), `${KEY}\n`, { mode: 0o600 });
    const first = await fabric(['rotate-keys'], data);
    expect(first.status, first.stderr).toBe(0);
    const key = readFileSync(secret('secret_key'), 'utf8').trim();
    expect(key).not.toBe(KEY);
    expect(() => readFileSync(secret('previous_secret_key'))).toThrow(/ENOENT/);
    // Killed between the new key and the work: the same new key is used again.
    const next = 'n'.repeat(43);
    writeFileSync(secret('previous_secret_key'), `${key}\n`, { mode: 0o600 });
    writeFileSync(secret('secret_key'), `${next}\n`, { mode: 0o600 });
    const second = await fabric(['rotate-keys'], data);
    expect(second).toMatchObject({ status: 0, stdout: `The current key is ${keyId(next)}.\n` });
    expect(second.stderr).toContain('API tokens of clusters: 1 re-encrypted');
    expect(readFileSync(secret('secret_key'), 'utf8').trim()).toBe(next);
    // A previous key that encrypts nothing is no rotation to resume.
    writeFileSync(secret('previous_secret_key'), `${KEY}\n`, { mode: 0o600 });
    const third = await fabric(['rotate-keys'], data);
    expect(third.stderr).toContain('API tokens of clusters: 1 re-encrypted');
    expect(readFileSync(secret('secret_key'), 'utf8').trim()).not.toBe(next);
    expect(() => readFileSync(secret('previous_secret_key'))).toThrow(/ENOENT/);
  });
});
