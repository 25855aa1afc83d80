import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { hashPassword } from '@/server/access/sign-in/passwords';
import { checkBackup } from '@/server/backup/read-backup';
import { db } from '@/server/db/client';
import { migrateDatabase } from '@/server/db/migrate';
import { clusterAccess } from '@/server/inventory/cluster-access';
import { findClusterRow } from '@/server/inventory/queries/clusters';
import { keyId, seal } from '@/server/lib/crypto';
import { env } from '@/server/lib/env';
import { newId } from '@/server/lib/ids';
import { readiness } from '@/server/operation/health';
import { createTestDatabase, dropTestDatabase } from '@/test/database';
import { makeOldInstallation } from '@/test/old-installation';
import { redisUrl } from '@/test/redis';
import { call } from '@/test/request';
import { prepareStores } from '../prepare-stores';
import { buildFabric, fabric as runFabric } from './testing.fixture';

const KEY = 'test-secret-key-test-secret-key-test-secret';
const EMAIL = 'ada@example.org';
const PASSWORD = 'a long walk by the river';
const PASSPHRASE = 'a quiet walk through the woods';
const TOKEN = 'fabric@pve!sync=7d1c0a44-0000-4000-8000-000000000000';
const clusterId = newId();

let program: Awaited<ReturnType<typeof buildFabric>>;
let directory: string;
/** A backup of an external database without the key, and one of the embedded installation that it was restored into, with the key. */
let seed: string;
let full: string;
const at = (name: string) => join(directory, name);
const embedded = (name: string) => ({ FABRIC_DATA_DIR: at(name) });
const readSecretKey = (name: string) => readFileSync(at(`${name}/secrets/secret_key`), 'utf8').trim();
const encrypted = () => ['--passphrase-file', at('passphrase')];

const fabric = (args: readonly string[], variables: Record<string, string>) => runFabric(program.file, args, variables);
async function run(args: readonly string[], variables: Record<string, string>) {
  const outcome = await fabric(args, variables);
  expect(outcome.status, outcome.stderr).toBe(0);
  return outcome;
}
const listTables = async (path: string, passphrase: string | null = null) =>
  (await checkBackup(path, passphrase)).manifest.tables;

beforeAll(async () => {
  program = await buildFabric();
  directory = mkdtempSync(join(tmpdir(), 'fabric-cli-'));
  writeFileSync(at('passphrase'), `${PASSPHRASE}\n`, { mode: 0o600 });
  // An installation with volume, a person who can sign in, and a cluster whose token is encrypted with the key.
  const source = await createTestDatabase('empty');
  await makeOldInstallation(source, { workloads: 100, flows: 400 });
  await migrateDatabase(source);
  const client = postgres(source, { max: 1 });
  const { sealed, key_id } = seal(TOKEN, clusterId, KEY);
  const user = newId();
  await client`insert into users (id, email, password_hash) values (${user}, ${EMAIL}, ${await hashPassword(PASSWORD)})`;
  await client`insert into role_assignments (id, user_id, role_id)
    select ${newId()}, ${user}, id from roles where name = 'super_admin'`;
  await client`update clusters set api_token_encrypted = null, api_token_key_id = null`;
  await client`insert into clusters (id, name, api_url, api_token_encrypted, api_token_key_id)
    values (${clusterId}, 'sealed', 'https://10.9.9.9:8006', ${sealed}, ${key_id})`;
  await client.end();
  seed = at('seed.tar.gz');
  await run(['backup', '-o', seed], { DATABASE_URL: source, FABRIC_SECRET_KEY: KEY });
  await dropTestDatabase(source);
  await run(['restore', seed], { ...embedded('first'), FABRIC_SECRET_KEY: KEY });
  full = at('full.tar.gz.age');
  const made = await run(['backup', '-o', full, '--include-key', ...encrypted()], {
    ...embedded('first'),
    FABRIC_SECRET_KEY: KEY,
  });
  expect(made.stdout).toBe(`${full}\n`);
}, 300_000);

afterAll(() => {
  program.remove();
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});

describe('fabric backup and restore', () => {
  it('brings an embedded installation back after everything was lost', async () => {
    // Without the key nothing is done: credentials would be lost.
    const refused = await fabric(['restore', seed], embedded('a'));
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toMatch(/This installation has no key: set FABRIC_SECRET_KEY .* --accept-lost-secrets/);
    expect(statSync(full).mode & 0o777).toBe(0o600);
    // A guess of the passphrase costs 2^17 blocks.
    expect(readFileSync(full, 'latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt \S+ 17\n/);
    expect(await listTables(full, PASSPHRASE)).toEqual(await listTables(seed));

    await run(['restore', full, ...encrypted()], embedded('a'));
    expect(readSecretKey('a')).toBe(KEY);
    expect(statSync(at('a/secrets/secret_key')).mode & 0o777).toBe(0o600);
    const again = await run(['backup', '-o', at('again.tar.gz')], embedded('a'));
    expect(again.stderr).toContain('The backup does not contain FABRIC_SECRET_KEY.');
    expect(await listTables(at('again.tar.gz'))).toEqual(await listTables(seed));

    const inUse = await fabric(['restore', full, ...encrypted()], embedded('a'));
    expect(inUse).toMatchObject({ status: 1 });
    expect(inUse.stderr).toMatch(/in use\. .*--replace/);
  });

  it('carries an embedded installation over to PostgreSQL and Redis, from where it can go back', async () => {
    // The database of this file, so that what is restored can be used here; nothing has touched it yet.
    const url = env().DATABASE_URL ?? '';
    const wrong = await fabric(['restore', seed], { DATABASE_URL: url, FABRIC_SECRET_KEY: 'x'.repeat(40) });
    expect(wrong).toMatchObject({ status: 1 });
    expect(wrong.stderr).toMatch(/This installation has a different key/);
    const check = await run(['restore', full, '--check', '--write-key', at('key'), ...encrypted()], {
      DATABASE_URL: url,
    });
    expect(check.stdout).toBe('The backup can be restored here.\n');
    expect(existsSync(at('key'))).toBe(false);
    await run(['restore', full, '--write-key', at('key'), ...encrypted()], { DATABASE_URL: url });
    expect(readFileSync(at('key'), 'utf8')).toBe(`FABRIC_SECRET_KEY=${KEY}\n`);

    const redis = inject('redisServerUrl') === null ? undefined : redisUrl();
    env().REDIS_URL = redis;
    await prepareStores({ DATABASE_URL: url, REDIS_URL: redis });
    expect(await readiness()).toMatchObject({ status: 'ok', checks: { migrations: { status: 'ok' } } });
    const signedIn = await call('/auth/login', { body: { email: EMAIL, password: PASSWORD }, from: '192.0.2.1' });
    expect(signedIn.status).toBe(200);
    const { access_token } = (await signedIn.json()) as { access_token: string };
    const read = await call(`/clusters/${clusterId}`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(await read.json()).toMatchObject({ name: 'sealed', has_api_token: true });
    const row = await findClusterRow(db, clusterId);
    expect(row && clusterAccess(row).api_token).toBe(TOKEN);

    const back = at('back.tar.gz');
    await run(['backup', '-o', back], { DATABASE_URL: url, FABRIC_SECRET_KEY: KEY });
    // Signing in left its traces; everything else is as it was in the embedded mode.
    const touched = new Set(['audit_records', 'refresh_tokens', 'users', 'rate_limits']);
    const rest = async (path: string) => (await listTables(path)).filter(({ name }) => !touched.has(name));
    expect(await rest(back)).toEqual(await rest(seed));
  });

  it('refuses a backup of a later release when it checks it, and leaves the keys alone', async () => {
    const later = await createTestDatabase();
    const client = postgres(later, { max: 1 });
    await client`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`;
    await client.end();
    const file = at('later.tar.gz.age');
    const other = { DATABASE_URL: later, FABRIC_SECRET_KEY: 'l'.repeat(40) };
    await run(['backup', '-o', file, '--include-key', ...encrypted()], other);
    await dropTestDatabase(later);
    for (const option of ['--check', '--verify-only', '--replace']) {
      const refused = await fabric(['restore', file, '--replace', option, ...encrypted()], embedded('a'));
      expect(refused, option).toMatchObject({ status: 1, stdout: '' });
      expect(refused.stderr).toContain('The backup is from a later release');
    }
    expect(readSecretKey('a')).toBe(KEY);
    expect(existsSync(at('a/secrets/previous_secret_key'))).toBe(false);
  });

  it('writes to standard output nothing but the backup, where the current directory cannot be written', async () => {
    const url = await createTestDatabase('empty');
    await run(['restore', seed], { DATABASE_URL: url, FABRIC_SECRET_KEY: KEY });
    const variables = { NODE_ENV: 'production', DATABASE_URL: url, FABRIC_SECRET_KEY: KEY } as const;
    const { status, stdout } = spawnSync(process.execPath, [program.file, 'backup', '-o', '-'], {
      ...{ env: variables, cwd: '/proc', maxBuffer: 2 ** 30 },
    });
    expect(status).toBe(0);
    writeFileSync(at('stdout.tar.gz'), stdout);
    await run(['restore', at('stdout.tar.gz'), '--verify-only'], { DATABASE_URL: url });
    await dropTestDatabase(url);
  });

  it('refuses a backup whose keys the command did not have, and says so when it creates it', async () => {
    const url = await createTestDatabase('empty');
    await run(['restore', seed], { DATABASE_URL: url, FABRIC_SECRET_KEY: KEY });
    const made = await run(['backup', '-o', at('keyless.tar.gz')], { DATABASE_URL: url });
    expect(made.stderr).toContain(`encrypted with a key that this command does not have (id ${keyId(KEY)})`);
    const known = await run(['backup', '-o', at('known.tar.gz')], { DATABASE_URL: url, FABRIC_SECRET_KEY: KEY });
    expect(known.stderr).not.toContain('does not have');
    const inUse = await fabric(['restore', at('known.tar.gz'), '--check'], {
      DATABASE_URL: url,
      FABRIC_SECRET_KEY: KEY,
    });
    expect(inUse).toMatchObject({ status: 1, stdout: '' });
    const intact = await run(['restore', at('known.tar.gz'), '--verify-only'], { DATABASE_URL: url });
    expect(intact.stdout).toBe('The backup is intact.\n');
    await dropTestDatabase(url);
    const refused = await fabric(['restore', at('keyless.tar.gz')], embedded('b'));
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toMatch(/This installation has no key: set FABRIC_SECRET_KEY .* --accept-lost-secrets/);
    await run(['restore', at('keyless.tar.gz'), '--accept-lost-secrets'], embedded('b'));
  });

  it('keeps the key that was there, and never writes a half backup', async () => {
    // Another installation with a key of its own takes over the one of the backup, and keeps its own aside.
    const other = 'o'.repeat(40);
    writeFileSync(at('first/secrets/secret_key'), `${other}\n`, { mode: 0o600 });
    await run(['restore', full, '--replace', ...encrypted()], embedded('first'));
    expect(readSecretKey('first')).toBe(KEY);
    const [aside = ''] = readdirSync(at('first/secrets')).filter((name) => name.startsWith('secret_key.replaced-'));
    expect(readFileSync(at(`first/secrets/${aside}`), 'utf8').trim()).toBe(other);
    expect(existsSync(at('first/secrets/previous_secret_key'))).toBe(false);

    const taken = await fabric(['backup', '-o', full], embedded('first'));
    expect(taken).toMatchObject({ status: 1 });
    expect(taken.stderr).toContain('full.tar.gz.age already exists.');
    const nothing = await fabric(['backup', '-o', at('none')], { DATABASE_URL: await createTestDatabase('empty') });
    expect(nothing).toMatchObject({ status: 1 });
    expect(nothing.stderr).toContain('contains no Fabric installation');
    expect(readdirSync(directory).filter((name) => name.startsWith('none'))).toEqual([]);
    for (const args of [['--include-key'], ['--passphrase-file', '/does/not/exist']]) {
      expect((await fabric(['backup', ...args], embedded('first'))).status).not.toBe(0);
    }
    expect((await fabric(['backup'], embedded('nowhere'))).stderr).toContain(
      'There is no installation in this directory',
    );
    expect(existsSync(at('nowhere'))).toBe(false);
  });
});
