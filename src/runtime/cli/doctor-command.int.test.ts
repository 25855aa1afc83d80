import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { seal } from '@/server/lib/crypto';
import { env } from '@/server/lib/env';
import { makeCluster, makeUser } from '@/test/factories';
import { failed, ok, runChecks, warning } from './doctor/finding';
import { buildFabric, fabric } from './testing.fixture';

const KEY = 'test-secret-key-test-secret-key-test-secret';
type Line = { name: string; status: string; detail: string; remedy?: string };

let program: Awaited<ReturnType<typeof buildFabric>>;
beforeAll(async () => {
  program = await buildFabric();
}, 60_000);
afterAll(() => program.remove());

const run = (args: readonly string[] = [], variables: Record<string, string> = {}) =>
  fabric(program.file, ['doctor', ...args], {
    ...{ DATABASE_URL: env().DATABASE_URL ?? '', FABRIC_SECRET_KEY: KEY, ...variables },
  });
async function findings(variables: Record<string, string> = {}) {
  const { status, stdout } = await run(['--json'], variables);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return { status, of: new Map(lines.map((line) => [line.name, line])) };
}

describe('fabric doctor', () => {
  it('reports problems and their fixes as text and as JSON', async () => {
    const empty = await findings();
    // The test server runs without autovacuum, and this is no complete production environment.
    expect(empty.status).toBe(1);
    expect(empty.of.get('environment')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('REDIS_URL'),
    });
    expect(empty.of.get('database')).toMatchObject({ status: 'failed', detail: expect.stringContaining('autovacuum') });
    expect(empty.of.get('migrations')).toMatchObject({ status: 'ok' });
    expect(empty.of.get('administrators')).toMatchObject({
      status: 'warning',
      remedy: expect.stringContaining('create-admin'),
    });

    await makeUser('viewer');
    const { id } = await makeCluster({ sync_status: 'failed' });
    const { sealed, key_id } = seal('token', id, 'another key '.repeat(4));
    await sqlClient()`update clusters set api_token_encrypted = ${sealed}, api_token_key_id = ${key_id} where id = ${id}`;
    const used = await findings();
    expect(used.of.get('administrators')).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('--reset'),
    });
    expect(used.of.get('clusters')).toMatchObject({ status: 'warning', detail: '1 of 1 failed to sync' });
    expect(used.of.get('credentials')).toMatchObject({
      status: 'failed',
      detail: 'no key decrypts 1 API tokens of clusters',
    });
    await makeUser('super_admin');
    const { stdout } = await run();
    expect(stdout).toMatch(/^ok {7}administrators {2}1 of 2 users$/m);
    expect(stdout).toMatch(/^failed {3}credentials {5}no key decrypts .*\n {25}→ Restore the FABRIC_SECRET_KEY/m);
    expect(stdout).not.toContain(KEY);
  });

  it('says that the database cannot be reached, and does not try again for each check', async () => {
    const { of, status } = await findings({ DATABASE_URL: 'postgres://fabric:x@127.0.0.1:1/fabric' });
    expect(status).toBe(1);
    expect(of.get('database')).toMatchObject({ status: 'failed', detail: expect.stringContaining('ECONNREFUSED') });
    const others = [...of.values()].filter(({ detail }) => /ECONNREFUSED|not checked/.test(detail));
    expect(others.map(({ name, detail }) => [name, detail]).slice(1)).toEqual(
      [
        'clock',
        'migrations',
        'flow storage',
        'credentials',
        'administrators',
        'clusters',
        'agents',
        'flow exporters',
      ].map((name) => [name, 'not checked: PostgreSQL does not answer']),
    );
  });

  it('takes a check that throws for a finding', async () => {
    const found = await runChecks(
      [
        { name: 'a', run: async () => ok('fine') },
        { name: 'b', run: async () => Promise.reject(new Error('broken')) },
        { name: 'c', run: async () => warning('hm', 'do') },
        { name: 'd', run: async () => failed('no', 'do') },
      ],
      () => {},
    );
    expect(found.map(({ name, status }) => `${name} ${status}`)).toEqual(['a ok', 'b failed', 'c warning', 'd failed']);
  });
});
