import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { users } from '@/server/db/schema/access';
import { clusters } from '@/server/db/schema/clusters';
import { systemSettings } from '@/server/db/schema/operations';
import { env } from '@/server/lib/env';
import { auditTrail } from '@/test/audit-trail';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';

const PASSWORD = 'a long enough passphrase';
const input = (extra: object = {}) => ({ email: ' Admin@Example.ORG ', password: PASSWORD, ...extra });
const cluster = {
  name: 'lab',
  api_url: 'https://pve.example.org:8006',
  api_token: 'fabric@pve!main=11111111-2222-3333-4444-555555555555',
};

const reset = () => sqlClient()`truncate users, clusters, rate_limits, system_settings cascade`;

beforeEach(async () => {
  await reset();
  env().FABRIC_SETUP_CODE = undefined;
  env().NODE_ENV = 'test';
});

describe('setup', () => {
  it('says what is missing, creates a super administrator with a cluster, and is closed afterwards', async () => {
    expect(await (await call('/setup/status')).json()).toEqual({
      completed: false,
      setup_code_required: false,
      demo: false,
    });
    const response = await call('/setup/complete', { body: input({ name: 'Ada', cluster }) });
    expect(response.status).toBe(201);
    const created = await response.json();
    expect(created.user).toMatchObject({ email: 'admin@example.org', name: 'Ada', roles: ['super_admin'] });
    expect(created.cluster).toMatchObject({ name: 'lab', has_api_token: true, sync_status: 'never' });
    expect(JSON.stringify(created)).not.toContain('11111111');

    const login = await call('/auth/login', { body: { email: 'admin@example.org', password: PASSWORD } });
    expect((await login.json()).user.permissions).toContain('*');

    expect(await (await call('/setup/status')).json()).toEqual({
      completed: true,
      setup_code_required: false,
      demo: false,
    });
    const again = await call('/setup/complete', { body: input({ email: 'other@example.org' }) });
    expect([again.status, (await again.json()).code]).toEqual([409, 'conflict']);

    await sqlClient()`delete from users`;
    expect((await call('/setup/complete', { body: input() })).status).toBe(409);
  });

  it('makes exactly one administrator out of fifty simultaneous calls', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        call('/setup/complete', {
          body: input({ email: `admin${i}@example.org`, cluster: { ...cluster, name: `lab-${i}` } }),
        }),
      ),
    );
    const statuses = answers.map((a) => a.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    // The others come too late, or too many of their address want a password hashed at the same time; a retry gets the reason.
    expect(statuses.filter((status) => ![201, 409, 429].includes(status))).toEqual([]);
    expect((await call('/setup/complete', { body: input({ email: 'late@example.org' }) })).status).toBe(409);
    expect(await db.select().from(users)).toHaveLength(1);
    expect(await db.select().from(clusters)).toHaveLength(1);
    expect((await db.select().from(systemSettings)).filter((s) => s.key === 'setup')).toHaveLength(1);
    const winner = await answers.find((a) => a.status === 201)?.json();
    const trail = await auditTrail();
    expect(trail.filter((r) => r.action === 'setup.completed' && r.object_id === winner.user.id)).toHaveLength(1);
  });

  it('leaves nothing behind when the cluster cannot be created', async () => {
    await db.insert(clusters).values({ name: 'lab', api_url: 'https://pve.example.org:8006' });
    expect((await call('/setup/complete', { body: input({ cluster }) })).status).toBe(409);
    expect(await db.select().from(users)).toHaveLength(0);
    expect(await (await call('/setup/status')).json()).toMatchObject({ completed: false });
  });

  it('counts an installation with users as set up', async () => {
    await db.insert(users).values({ email: 'seeded@example.org', password_hash: 'x' });
    expect((await call('/setup/complete', { body: input() })).status).toBe(409);
  });

  it.each([
    ['short', 'Use at least 12 characters; a few words are fine.'],
    ['password1234', 'This password is too common. Choose another one.'],
    ['123456789012', 'This password is too common. Choose another one.'],
    ['aaaaaaaaaaaaaaaaaaaa', 'Use more different characters.'],
    ['admin@example.org', 'Choose a password that is not your email address.'],
    ['é'.repeat(300), 'Use at most 256 characters.'],
  ])('refuses the password %s', async (password, message) => {
    const response = await call('/setup/complete', { body: input({ password }) });
    expect(response.status).toBe(400);
    expect((await response.json()).errors).toEqual([{ field: 'password', message }]);
  });

  it('names every invalid field in one answer, including those of the cluster', async () => {
    const response = await call('/setup/complete', {
      body: { email: ' ', password: 'x', nmae: 'A', cluster: { ...cluster, api_url: 'ftp://x' } },
    });
    const fields = (await response.json()).errors.map((e: { field: string }) => e.field);
    expect(fields.sort()).toEqual(['cluster.api_url', 'email', 'nmae', 'password']);
  });
});

describe('a demo', () => {
  it('says that it is one, before and after the setup', async () => {
    await db.insert(systemSettings).values({ key: 'demo', value: {} });
    expect((await (await call('/setup/status')).json()).demo).toBe(true);
    await call('/setup/complete', { body: input() });
    expect((await (await call('/setup/status')).json()).demo).toBe(true);
  });
});

describe('setup code', () => {
  let clock: ReturnType<typeof fakeClock>;
  beforeEach(() => {
    clock = fakeClock();
    env().FABRIC_SETUP_CODE = 'K7QM-2XWP-9ATD';
  });
  afterEach(() => clock.restore());

  const complete = (setup_code?: string, from = '192.0.2.1') =>
    call('/setup/complete', { body: input({ setup_code }), from });

  it('must be given when the server has one, in any case, with or without hyphens', async () => {
    expect(await (await call('/setup/status')).json()).toEqual({
      completed: false,
      setup_code_required: true,
      demo: false,
    });
    const missing = await complete();
    expect(missing.status).toBe(403);
    expect((await missing.json()).errors).toEqual([{ field: 'setup_code', message: 'Enter the setup code.' }]);
    expect((await complete('K7QM-2XWP-9ATE')).status).toBe(403);
    expect((await complete(' k7qm2xwp 9atd ')).status).toBe(201);
  });

  const wrong = async (count: number, from?: string) => {
    const statuses = new Set<number>();
    for (let i = 0; i < count; i += 1) statuses.add((await complete(`wrong${i}`, from)).status);
    return [...statuses];
  };

  it('gets in from an address with seventy wrong ones when it was made at random', async () => {
    expect(await wrong(70)).toEqual([403]);
    const slowed = await complete('wrong again');
    expect([slowed.status, slowed.headers.get('retry-after')]).toEqual([429, '120']);
    expect((await complete('wrong', '192.0.2.2')).status).toBe(403);
    expect((await complete('K7QM-2XWP-9ATD')).status).toBe(201);
  });

  it('works from an address with sixty wrong attempts, with ten attempts in two minutes there', async () => {
    env().FABRIC_SETUP_CODE = 'open-sesame';
    expect(await wrong(69)).toEqual([403]);
    expect((await complete()).status).toBe(403);
    expect((await complete('open-sesame', '192.0.2.2')).status).toBe(201);
    await reset();
    expect(await wrong(70)).toEqual([403]);
    expect((await complete('open-sesame')).status).toBe(429);
    clock.advance(120);
    expect((await complete('open-sesame')).status).toBe(201);
  });

  it('cannot be guessed from many addresses: fifty attempts in two minutes from all of them', async () => {
    env().FABRIC_SETUP_CODE = 'open-sesame';
    await sqlClient()`insert into rate_limits (key, window_start, hits) values ('setup:all', now(), 300)`;
    for (let i = 0; i < 50; i += 1) expect((await complete('wrong', `198.51.100.${i}`)).status).toBe(403);
    expect((await complete('open-sesame', '198.51.100.200')).status).toBe(429);
    clock.advance(120);
    expect((await complete('open-sesame', '198.51.100.200')).status).toBe(201);
  });

  it('comes from the server, the same for all processes, when a real installation sets none', async () => {
    env().FABRIC_SETUP_CODE = undefined;
    env().NODE_ENV = 'production';
    expect(await (await call('/setup/status')).json()).toEqual({
      completed: false,
      setup_code_required: true,
      demo: false,
    });
    expect((await complete('guess')).status).toBe(403);
    const stored = async () => (await db.select().from(systemSettings)).filter((s) => s.key === 'setup_code');
    const [code] = (await stored()).map((s) => (s.value as { code: string }).code);
    expect((await complete(code)).status).toBe(201);
    expect(await stored()).toEqual([]);
  });
});
