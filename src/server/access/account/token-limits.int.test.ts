import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiToken, CreatedApiToken } from '@/domain/account';
import type { CurrentUser } from '@/domain/auth';
import type { Role } from '@/domain/role';
import type { User } from '@/domain/user';
import { hashPassword } from '@/server/access/sign-in/passwords';
import { db, sqlClient } from '@/server/db/client';
import { users } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { newId } from '@/server/lib/ids';
import { routes } from '@/server/rest/routes';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
import { call, callJson } from '@/test/request';

type Headers = Record<string, string>;
const PASSWORD = 'a long walk by the river';
const OTHER = 'quite another password';

beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
});

async function makeToken(headers: Headers, input: object): Promise<Headers> {
  const { status, body } = await callJson<CreatedApiToken>('/account/tokens', headers, {
    body: { name: newId(), ...input },
  });
  expect(status).toBe(201);
  return { authorization: `Bearer ${body.token}` };
}
const everyRight = { permissions: ['user:read', 'user:write', 'role:read', 'role:write'] };

describe('PATCH of the own account', () => {
  it('sets a password only with the current one, counts guesses and ends all sign-ins', async () => {
    const user = await makeUser('admin', undefined, { password_hash: await hashPassword(PASSWORD) });
    const headers = await bearer(user);
    const patch = (body: object) =>
      callJson<{ errors?: { field: string }[] }>(`/users/${user.id}`, headers, { method: 'PATCH', body });
    const without = await patch({ password: OTHER });
    expect([without.status, without.body.errors?.[0]?.field]).toEqual([400, 'current_password']);
    const wrong = await patch({ password: OTHER, current_password: 'not the password' });
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([400, 'current_password']);
    expect((await patch({ name: 'Renamed' })).status).toBe(200);
    expect((await patch({ password: OTHER, current_password: PASSWORD })).status).toBe(200);
    expect((await callJson('/auth/me', headers)).status).toBe(401);
    expect((await call('/auth/login', { body: { email: user.email, password: OTHER } })).status).toBe(200);
  });

  it('cannot be used to guess the password', async () => {
    const user = await makeUser('admin', undefined, { password_hash: await hashPassword(PASSWORD) });
    const headers = await bearer(user);
    const guess = () =>
      callJson(`/users/${user.id}`, headers, {
        method: 'PATCH',
        body: { password: OTHER, current_password: 'guess' },
      });
    for (let i = 0; i < 5; i += 1) expect((await guess()).status).toBe(400);
    expect((await guess()).status).toBe(429);
  });

  it('gives no password to an account without one', async () => {
    const user = await makeUser('admin', undefined, { password_hash: null });
    const body = { password: OTHER, current_password: PASSWORD };
    expect((await callJson(`/users/${user.id}`, await bearer(user), { method: 'PATCH', body })).status).toBe(422);
  });
});

/** A valid body of every call that changes an account named in the path. A new call needs a line here. */
const CHANGES: Record<string, unknown> = {
  'PATCH /users/{user_id}': { name: 'Changed by a token' },
  'DELETE /users/{user_id}': undefined,
  'PUT /users/{user_id}/assignments': { assignments: [] },
  'DELETE /users/{user_id}/second-factor': undefined,
  'DELETE /users/{user_id}/tokens/{token_id}': undefined,
  'POST /users/{user_id}/tokens/{token_id}/allow': undefined,
  'DELETE /users/{user_id}/identities/{identity_id}': undefined,
};

describe('an API token', () => {
  it('changes nothing of the account of its owner, whatever the call', async () => {
    const owner = await makeUser('super_admin');
    const token = await makeToken(await bearer(owner), everyRight);
    const before = await db.select().from(users).where(eq(users.id, owner.id));
    const writing = routes.filter(({ method, path }) => method !== 'GET' && path.includes('{user_id}'));
    expect(writing.length).toBeGreaterThan(4);
    for (const { method, path } of writing) {
      expect(CHANGES, 'a new call: say here what it takes').toHaveProperty([`${method} ${path}`]);
      const address = path.replace('{user_id}', owner.id).replace(/\{[^}]*\}/g, newId());
      const { status } = await callJson(address, token, { method, body: CHANGES[`${method} ${path}`] });
      expect(status, `${method} ${path}`).toBe(403);
    }
    expect(await db.select().from(users).where(eq(users.id, owner.id))).toEqual(before);
  });

  it('sets no password and ends no sign-in of another user', async () => {
    const token = await makeToken(await bearer(await makeUser('super_admin')), everyRight);
    const other = await makeUser('viewer');
    const theirs = await bearer(other);
    const made = { name: `r${newId().replaceAll('-', '')}`.slice(0, 30), title: 'Role', permissions: ['user:read'] };
    const role = await callJson<Role>('/roles', token, { body: made });
    expect(role.status).toBe(201);
    const calls: [string, string, unknown][] = [
      ['PATCH', `/users/${other.id}`, { password: OTHER }],
      ['PATCH', `/users/${(await makeUser()).id}`, { email: `${newId()}@example.org` }],
      ['PATCH', `/roles/${role.body.id}`, { requires_second_factor: true }],
      ['PATCH', `/users/${other.id}`, { active: false }],
      ['PATCH', `/users/${other.id}`, { password_sign_in: false }],
      ['DELETE', `/users/${other.id}`, undefined],
      ['DELETE', `/users/${other.id}/second-factor`, undefined],
      ['DELETE', `/users/${other.id}/identities/${newId()}`, undefined],
      ['POST', '/users', { email: `${newId()}@example.org`, password: OTHER }],
    ];
    for (const [method, path, body] of calls) {
      expect((await callJson(path, token, { method, body })).status, `${method} ${path}`).toBe(403);
    }
    expect((await callJson('/auth/me', theirs)).status).toBe(200);
  });

  it('can still do what does not concern sign-ins: names, roles, accounts without a password', async () => {
    const token = await makeToken(await bearer(await makeUser('super_admin')), everyRight);
    const made = await callJson<User>('/users', token, { body: { email: `${newId()}@example.org` } });
    expect(made.status).toBe(201);
    const renamed = await callJson<User>(`/users/${made.body.id}`, token, {
      method: 'PATCH',
      body: { name: 'Renamed' },
    });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Renamed' } });
    const roles = await callJson(`/users/${made.body.id}/assignments`, token, {
      method: 'PUT',
      body: { assignments: [] },
    });
    expect(roles.status).toBe(200);
  });

  it('sees its own rights at /auth/me, not those of its owner', async () => {
    const { ours } = await makeTwoTenants('security_engineer');
    const admin = await bearer(await makeUser('super_admin'));
    const everywhere = await callJson<CurrentUser>(
      '/auth/me',
      await makeToken(admin, { permissions: ['policy:read'] }),
    );
    expect(everywhere.body).toMatchObject({ permissions: ['policy:read'], all_tenants: true });
    expect(everywhere.body.grants.map(({ permissions }) => permissions)).toEqual([['policy:read']]);
    const limit = { permissions: ['policy:read'], tenant_id: ours.tenant.id };
    const inside = await callJson<CurrentUser>('/auth/me', await makeToken(admin, limit));
    const tenants = [{ id: ours.tenant.id, name: ours.tenant.name }];
    expect(inside.body).toMatchObject({ permissions: ['policy:read'], all_tenants: false, tenants });
  });
});

describe('tokens of a deactivated owner', () => {
  it('stay suspended after reactivation until a person allows them again, on the record', async () => {
    const owner = await makeUser('viewer');
    const admin = await bearer(await makeUser('admin'));
    const token = await makeToken(await bearer(owner), { permissions: ['policy:read'] });
    const other = await makeToken(await bearer(owner), { permissions: ['policy:read'] });
    const set = (active: boolean) => callJson(`/users/${owner.id}`, admin, { method: 'PATCH', body: { active } });
    expect((await set(false)).status).toBe(200);
    const listed = async () => (await callJson<{ items: ApiToken[] }>(`/users/${owner.id}/tokens`, admin)).body.items;
    const [first, second] = await listed();
    const allow = (headers: Headers, path: string) => callJson<ApiToken>(`${path}/allow`, headers, { method: 'POST' });
    expect((await allow(admin, `/users/${owner.id}/tokens/${first?.id}`)).status).toBe(409);
    expect((await set(true)).status).toBe(200);
    expect((await callJson('/policies', token)).status).toBe(401);
    expect((await callJson('/policies', other)).status).toBe(401);
    expect((await listed()).every(({ suspended_at }) => suspended_at !== null)).toBe(true);
    const program = await makeToken(await bearer(await makeUser('super_admin')), everyRight);
    expect((await allow(program, `/users/${owner.id}/tokens/${first?.id}`)).status).toBe(403);
    const allowed = await allow(admin, `/users/${owner.id}/tokens/${first?.id}`);
    expect(allowed).toMatchObject({ status: 200, body: { suspended_at: null } });
    expect((await allow(admin, `/users/${owner.id}/tokens/${first?.id}`)).status).toBe(409);
    expect((await allow(await bearer(owner), `/account/tokens/${second?.id}`)).status).toBe(200);
    expect((await callJson('/policies', token)).status).toBe(200);
    expect((await callJson('/policies', other)).status).toBe(200);
    const records = await auditTrail(eq(auditRecords.object_id, owner.id));
    expect(records.map(({ action }) => action)).toEqual(expect.arrayContaining(['user.updated', 'api_token.allowed']));
  });
});
