import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desc, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountSession, ApiToken, CreatedApiToken } from '@/domain/account';
import { hashPassword } from '@/server/access/sign-in/passwords';
import { db, sqlClient } from '@/server/db/client';
import { roleAssignments, users } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { apiTokens } from '@/server/db/schema/sign-in';
import { env } from '@/server/lib/env';
import { bearer, grantRole, makeTenant, makeTwoTenants, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call, callJson } from '@/test/request';

type Headers = Record<string, string>;
const PASSWORD = 'a long walk by the river';
const DAY = 86_400;

let clock: ReturnType<typeof fakeClock>;
beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
  clock = fakeClock();
});
afterEach(() => clock.restore());

async function makeToken(headers: Headers, input: object = {}): Promise<CreatedApiToken> {
  const body = { name: `token ${Math.random()}`, permissions: ['policy:read'], ...input };
  const { status, body: made } = await callJson<CreatedApiToken>('/account/tokens', headers, { body });
  expect(status, JSON.stringify(made)).toBe(201);
  return made;
}
const toAuthHeaders = ({ token }: { token: string }): Headers => ({ authorization: `Bearer ${token}` });
const lastAudit = async () => (await db.select().from(auditRecords).orderBy(desc(auditRecords.seq)).limit(1))[0];

async function login(email: string, password = PASSWORD, agent = 'test') {
  const response = await call('/auth/login', { body: { email, password }, headers: { 'user-agent': agent } });
  const body = response.status === 200 ? await response.json() : null;
  return { status: response.status, headers: { authorization: `Bearer ${body?.access_token}` } as Headers };
}

describe("the user's own password", () => {
  it('changes with the current one, and ends all other sign-ins', async () => {
    const user = await makeUser('viewer', undefined, { password_hash: await hashPassword(PASSWORD) });
    const [here, there] = [await login(user.email), await login(user.email)];
    const change = (current_password: string, new_password: string) =>
      callJson<{ errors?: { field: string }[] }>('/account/password', here.headers, {
        body: { current_password, new_password },
      });
    const wrong = await change('not the password', 'quite another password');
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([400, 'current_password']);
    for (const bad of ['short', PASSWORD, user.email, 'Summer2026!!!']) {
      const refused = await change(PASSWORD, bad);
      expect([refused.status, refused.body.errors?.[0]?.field], bad).toEqual([400, 'new_password']);
    }
    expect(await change(PASSWORD, 'quite another password')).toEqual({ status: 200, body: { ended_sessions: 1 } });
    expect((await callJson('/auth/me', here.headers)).status).toBe(200);
    expect((await callJson('/auth/me', there.headers)).status).toBe(401);
    expect((await login(user.email)).status).toBe(401);
    expect((await login(user.email, 'quite another password')).status).toBe(200);
    const [record] = await db
      .select()
      .from(auditRecords)
      .where(eq(auditRecords.action, 'auth.password_changed'))
      .orderBy(desc(auditRecords.seq))
      .limit(1);
    expect(record).toMatchObject({ object_id: user.id, after: { ended_sessions: 1 } });
    expect(JSON.stringify(record)).not.toContain('another');
  });

  it('must not be in the list of breached passwords; an unreadable list rejects it too', async () => {
    const user = await makeUser('viewer', undefined, { password_hash: await hashPassword(PASSWORD) });
    const { headers } = await login(user.email);
    const path = join(mkdtempSync(join(tmpdir(), 'breached-')), 'list.txt');
    const change = (new_password: string) =>
      callJson<{ detail: string }>('/account/password', headers, {
        body: { current_password: PASSWORD, new_password },
      });
    const breached = 'quite another password';
    writeFileSync(path, `${createHash('sha1').update(breached).digest('hex').toUpperCase()}:3\n`);
    env().FABRIC_BREACHED_PASSWORDS = path;
    expect(await change(breached)).toMatchObject({ status: 400, body: { detail: expect.stringContaining('breach') } });
    env().FABRIC_BREACHED_PASSWORDS = `${path}.gone`;
    expect((await change('one that nobody else has')).status).toBe(503);
    env().FABRIC_BREACHED_PASSWORDS = path;
    expect((await change('one that nobody else has')).status).toBe(200);
    env().FABRIC_BREACHED_PASSWORDS = undefined;
  });

  it('cannot be guessed at an unattended browser', async () => {
    const user = await makeUser('viewer', undefined, { password_hash: await hashPassword(PASSWORD) });
    const { headers } = await login(user.email);
    const guess = () =>
      callJson('/account/password', headers, {
        body: { current_password: 'guess', new_password: 'quite another password' },
      });
    for (let i = 0; i < 5; i += 1) expect((await guess()).status).toBe(400);
    expect((await guess()).status).toBe(429);
  });
});

describe("the user's own sign-ins", () => {
  it('appear with their addresses and end one by one or all others at a time', async () => {
    const user = await makeUser('viewer', undefined, { password_hash: await hashPassword(PASSWORD) });
    const [one, two, three] = [
      await login(user.email, PASSWORD, 'laptop'),
      await login(user.email, PASSWORD, 'phone'),
      await login(user.email, PASSWORD, 'tablet'),
    ];
    const list = async (headers: Headers) =>
      (await callJson<{ items: AccountSession[] }>('/account/sessions', headers)).body.items;
    const items = await list(one.headers);
    expect(items.map(({ user_agent, current }) => [user_agent, current]).sort()).toEqual([
      ['laptop', true],
      ['phone', false],
      ['tablet', false],
    ]);
    const phone = items.find(({ user_agent }) => user_agent === 'phone');
    expect((await callJson(`/account/sessions/${phone?.id}`, one.headers, { method: 'DELETE' })).status).toBe(204);
    expect((await callJson('/auth/me', two.headers)).status).toBe(401);
    expect((await callJson(`/account/sessions/${phone?.id}`, one.headers, { method: 'DELETE' })).status).toBe(404);
    const others = await callJson('/account/sessions/end-others', one.headers, { method: 'POST' });
    expect(others).toEqual({ status: 200, body: { ended_sessions: 1 } });
    expect((await callJson('/auth/me', three.headers)).status).toBe(401);
    expect(await list(one.headers)).toHaveLength(1);
  });

  it('exclude those of other users from reading and ending', async () => {
    const [mine, theirs] = [await bearer(await makeUser('super_admin')), await bearer(await makeUser('viewer'))];
    const [other] = (await callJson<{ items: AccountSession[] }>('/account/sessions', theirs)).body.items;
    expect((await callJson(`/account/sessions/${other?.id}`, mine, { method: 'DELETE' })).status).toBe(404);
    expect((await callJson('/auth/me', theirs)).status).toBe(200);
  });
});

describe('API tokens', () => {
  it('do what they are limited to, name themselves in the audit trail, and are stored as a hash', async () => {
    const user = await makeUser('admin');
    const headers = await bearer(user);
    const made = await makeToken(headers, { name: 'ci', permissions: ['group:write', 'group:read'] });
    expect(made).toMatchObject({ name: 'ci', permissions: ['group:read', 'group:write'], expired: false });
    expect(made.token.startsWith(made.prefix)).toBe(true);
    const [row] = await db.select().from(apiTokens).where(eq(apiTokens.id, made.id));
    expect(JSON.stringify(row)).not.toContain(made.token);
    expect((await callJson('/security-groups', toAuthHeaders(made))).status).toBe(200);
    expect((await callJson('/policies', toAuthHeaders(made))).status).toBe(403);
    const group = { name: `by token ${made.id}` };
    expect((await callJson('/security-groups', toAuthHeaders(made), { body: group })).status).toBe(201);
    expect(await lastAudit()).toMatchObject({ actor_id: user.id, actor_name: `${user.email} (token ci)` });
    const me = await callJson<{ email: string }>('/auth/me', toAuthHeaders(made));
    expect([me.status, me.body.email]).toEqual([200, user.email]);
  });

  it('cannot be used to make others, change the password or look at sign-ins', async () => {
    const made = await makeToken(await bearer(await makeUser('admin')), { permissions: ['user:read', 'user:write'] });
    const body = { name: 'more', permissions: ['user:read'] };
    expect((await callJson('/account/tokens', toAuthHeaders(made), { body })).status).toBe(403);
    expect((await callJson('/account/tokens', toAuthHeaders(made))).status).toBe(403);
    expect((await callJson('/account/sessions', toAuthHeaders(made))).status).toBe(403);
    const change = { current_password: 'x', new_password: 'quite another password' };
    expect((await callJson('/account/password', toAuthHeaders(made), { body: change })).status).toBe(403);
  });

  it('give no more than the owner has, from the moment the owner loses it', async () => {
    const user = await makeUser('security_engineer');
    const headers = await bearer(user);
    const beyond = { name: 'x', permissions: ['user:read'] };
    expect((await callJson('/account/tokens', headers, { body: beyond })).status).toBe(422);
    const made = await makeToken(headers);
    expect((await callJson('/policies', toAuthHeaders(made))).status).toBe(200);
    await db.delete(roleAssignments).where(eq(roleAssignments.user_id, user.id));
    expect((await callJson('/policies', toAuthHeaders(made))).status).toBe(403);
    await grantRole(user, 'viewer');
    expect((await callJson('/policies', toAuthHeaders(made))).status).toBe(200);
    await db.update(users).set({ active: false }).where(eq(users.id, user.id));
    expect((await callJson('/policies', toAuthHeaders(made))).status).toBe(401);
  });

  it('hand out no rights that the token lacks, whatever its owner has', async () => {
    const headers = await bearer(await makeUser('super_admin'));
    const made = await makeToken(headers, { permissions: ['user:write', 'user:read', 'role:read', 'role:write'] });
    const roles = await callJson<{ items: { id: string; name: string }[] }>('/roles', toAuthHeaders(made));
    const super_admin = roles.body.items.find(({ name }) => name === 'super_admin');
    const puppet = {
      email: `puppet-${made.id}@example.org`,
      password: 'quite another password',
      assignments: [{ role_id: super_admin?.id }],
    };
    expect((await callJson('/users', toAuthHeaders(made), { body: puppet })).status).toBe(403);
    const role = { name: `r_${made.id.slice(-8)}`, title: 'More', permissions: ['*'] };
    expect((await callJson('/roles', toAuthHeaders(made), { body: role })).status).toBe(403);
  });

  it('cannot reach another tenant, even if the owner can', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    await grantRole(ours.user, 'security_engineer', theirs.tenant);
    const made = await makeToken(ours.headers, { permissions: ['workload:read'], tenant_id: ours.tenant.id });
    expect((await callJson(`/workloads/${ours.workload.id}`, toAuthHeaders(made))).status).toBe(200);
    expect((await callJson(`/workloads/${theirs.workload.id}`, toAuthHeaders(made))).status).toBe(404);
    expect((await callJson(`/workloads/${theirs.workload.id}`, ours.headers)).status).toBe(200);
    const elsewhere = { name: 'x', permissions: ['workload:read'], tenant_id: (await makeTenant()).id };
    expect((await callJson('/account/tokens', ours.headers, { body: elsewhere })).status).toBe(422);
  });

  it('end to the second, and note their use to the minute', async () => {
    const headers = await bearer(await makeUser('viewer'));
    const made = await makeToken(headers, { expires_in_days: 1 });
    const read = async () =>
      (await callJson<{ items: ApiToken[] }>('/account/tokens', await fresh())).body.items.find(
        ({ id }) => id === made.id,
      );
    const [owner] = await db.select().from(apiTokens).where(eq(apiTokens.id, made.id));
    const fresh = () => bearer({ id: owner?.user_id ?? '' });
    expect((await read())?.last_used_at).toBeNull();
    await callJson('/policies', toAuthHeaders(made));
    const first = (await read())?.last_used_at;
    expect(first).not.toBeNull();
    clock.advance(59);
    await callJson('/policies', toAuthHeaders(made));
    expect((await read())?.last_used_at).toBe(first);
    clock.advance(2);
    await callJson('/policies', toAuthHeaders(made));
    expect((await read())?.last_used_at).not.toBe(first);
    clock.advance(DAY - 62);
    expect((await callJson('/policies', toAuthHeaders(made))).status).toBe(200);
    clock.advance(1);
    expect((await callJson('/policies', toAuthHeaders(made))).status).toBe(401);
    expect((await read())?.expired).toBe(true);
  });

  it('end immediately when the owner or an administrator revokes them, and all when an administrator sets a password', async () => {
    const user = await makeUser('viewer');
    const headers = await bearer(user);
    const admin = await bearer(await makeUser('admin'));
    const made = [await makeToken(headers), await makeToken(headers), await makeToken(headers)] as const;
    const [own, theirs, left] = made;
    expect((await callJson(`/account/tokens/${own.id}`, headers, { method: 'DELETE' })).status).toBe(204);
    expect((await callJson(`/account/tokens/${own.id}`, headers, { method: 'DELETE' })).status).toBe(404);
    expect((await callJson('/policies', toAuthHeaders(own))).status).toBe(401);
    expect((await callJson(`/account/tokens/${theirs.id}`, admin, { method: 'DELETE' })).status).toBe(404);
    const listed = await callJson<{ items: ApiToken[] }>(`/users/${user.id}/tokens`, admin);
    expect(listed.body.items.map(({ id }) => id).sort()).toEqual([theirs.id, left.id].sort());
    expect((await callJson(`/users/${user.id}/tokens/${theirs.id}`, admin, { method: 'DELETE' })).status).toBe(204);
    expect((await callJson('/policies', toAuthHeaders(theirs))).status).toBe(401);
    const reset = { password: 'quite another password' };
    expect((await callJson(`/users/${user.id}`, admin, { method: 'PATCH', body: reset })).status).toBe(200);
    expect((await callJson('/policies', toAuthHeaders(left))).status).toBe(401);
    expect(await lastAudit()).toMatchObject({ after: { ended_programs: 1 } });
  });

  it('have names of their own and are not too many', async () => {
    const headers = await bearer(await makeUser('viewer'));
    await makeToken(headers, { name: 'Backup' });
    const again = await callJson('/account/tokens', headers, {
      body: { name: 'backup', permissions: ['policy:read'] },
    });
    expect(again.status).toBe(409);
    for (const bad of [
      { name: '', permissions: ['policy:read'] },
      { name: 'x', permissions: [] },
      { name: 'x', permissions: ['*'] },
      { name: 'x', permissions: ['policy:read'], expires_in_days: 367 },
    ]) {
      expect((await callJson('/account/tokens', headers, { body: bad })).status, JSON.stringify(bad)).toBe(400);
    }
    const simultaneous = Array.from({ length: 55 }, (_, i) =>
      callJson('/account/tokens', headers, { body: { name: `many ${i}`, permissions: ['policy:read'] } }),
    );
    const statuses = (await Promise.all(simultaneous)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(49);
    expect(statuses.filter((status) => status === 422)).toHaveLength(6);
  });
});
