import { and, eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { SignedOut, UserIdentity } from '@/domain/sign-in-provider';
import type { User } from '@/domain/user';
import { hashPassword } from '@/server/access/sign-in/passwords';
import { decodeBase32, stepAt, totpCode } from '@/server/auth/one-time-codes';
import { db, sqlClient } from '@/server/db/client';
import { roleAssignments, users } from '@/server/db/schema/access';
import { bearer, makeUser } from '@/test/factories';
import { callJson } from '@/test/request';
import {
  Browser,
  createOidcLab,
  getProviderAnswer,
  listAuditRecords,
  type Problem,
  returnFromProvider,
  roleId,
  signIn,
} from './testing/oidc-lab.fixture';

const lab = createOidcLab();

describe('signing in through a provider', () => {
  it('makes an account at the first time and knows it afterwards by its subject alone', async () => {
    await lab.store();
    lab.provider.people.set('alice', { email: 'Alice@Example.org', email_verified: true, name: 'Alice' });
    const first = await signIn('alice');
    expect(first.problem).toBeNull();
    expect(first.user).toMatchObject({ email: 'alice@example.org', name: 'Alice', permissions: [] });
    expect(first.next).toBe('/policies');
    const [login] = await listAuditRecords('auth.login');
    expect(login?.after).toEqual({ method: 'oidc', second_factor: null });
    lab.provider.people.set('alice', { email: 'renamed@example.org', email_verified: false });
    const second = await signIn('alice');
    expect(second.user?.id).toBe(first.user?.id);
    const { body } = await callJson<{ items: UserIdentity[] }>(`/users/${first.user?.id}/identities`, lab.boss);
    expect(body.items).toMatchObject([{ issuer: lab.provider.issuer, subject: 'alice', email: 'renamed@example.org' }]);
    // It has no password, and none gets in.
    expect((await callJson('/auth/login', {}, { body: { email: 'alice@example.org', password: 'x' } })).status).toBe(
      401,
    );
    const [row] = await db.select().from(users).where(eq(users.email, 'alice@example.org'));
    expect(row?.password_hash).toBeNull();
  });

  it('creates one account for many concurrent first sign-ins', async () => {
    await lab.store();
    lab.provider.people.set('crowd', { email: 'crowd@example.org', email_verified: true });
    const browsers = Array.from({ length: 5 }, () => new Browser());
    const answers = await Promise.all(browsers.map((one) => getProviderAnswer(one, 'crowd')));
    const results = await Promise.all(browsers.map((one, i) => returnFromProvider(one, answers[i] ?? '')));
    expect(results.map(({ problem }) => problem)).toEqual([null, null, null, null, null]);
    expect(await db.select().from(users).where(eq(users.email, 'crowd@example.org'))).toHaveLength(1);
  });

  it('rejects unknown users and unverified addresses', async () => {
    await lab.store({ create_users: false });
    lab.provider.people.set('bob', { email: 'bob@example.org', email_verified: true });
    expect((await signIn('bob')).problem).toBe('unknown_account');
    await lab.store({ version: undefined });
    for (const [person, problem] of [
      [{ email: 'bob@example.org' }, 'email_not_verified'],
      [{ email: 'bob@example.org', email_verified: false }, 'email_not_verified'],
      [{}, 'unknown_account'],
    ] as const) {
      lab.provider.people.set('bob', person);
      expect((await signIn('bob')).problem).toBe(problem);
    }
    const [record] = await listAuditRecords('auth.login_failed');
    expect(record).toMatchObject({ object_id: null, after: { reason: 'provider_unknown_account' } });
    expect((await signIn('nobody')).problem).toBe('refused');
    expect(await db.select().from(users).where(eq(users.email, 'bob@example.org'))).toEqual([]);
  });

  it('takes over an account by its address only if that is allowed, verified, and not linked yet', async () => {
    const carol = await makeUser('viewer', undefined, { email: 'carol@example.org' });
    lab.provider.people.set('carol', { email: 'carol@example.org', email_verified: true });
    lab.provider.people.set('mallory', { email: 'carol@example.org', email_verified: false });
    await lab.store();
    expect((await signIn('carol')).problem).toBe('email_taken');
    await lab.store({ link_by_email: true });
    expect((await signIn('mallory')).problem).toBe('email_not_verified');
    const linked = await signIn('carol');
    expect(linked.user?.id).toBe(carol.id);
    expect(await listAuditRecords('user.identity_linked')).not.toEqual([]);
    lab.provider.people.set('mallory', { email: 'carol@example.org', email_verified: true });
    expect((await signIn('mallory')).problem).toBe('email_taken');
    await db.update(users).set({ active: false }).where(eq(users.id, carol.id));
    expect((await signIn('carol')).problem).toBe('inactive');
    await db.update(users).set({ active: true }).where(eq(users.id, carol.id));
    const { body } = await callJson<{ items: UserIdentity[] }>(`/users/${carol.id}/identities`, lab.boss);
    const path = `/users/${carol.id}/identities/${body.items[0]?.id}`;
    expect((await callJson(path, lab.boss, { method: 'DELETE' })).status).toBe(204);
    expect((await callJson(path, lab.boss, { method: 'DELETE' })).status).toBe(404);
    expect((await callJson('/auth/me', linked.headers ?? {})).status).toBe(401);
  });
});

describe('the second factor', () => {
  const enrolled = async (email: string) => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const user = await makeUser('viewer', undefined, { email, password_hash: await hashPassword('long walks help') });
    const { seal } = await import('@/server/lib/crypto');
    const { sealed, key_id } = seal(secret, user.id);
    await sqlClient()`insert into second_factors (user_id, secret_encrypted, secret_key_id, confirmed_at)
      values (${user.id}, ${sealed}, ${key_id}, now())`;
    return { user, code: () => totpCode(decodeBase32(secret), stepAt(new Date())) };
  };

  it('requires a code also after the provider', async () => {
    await lab.store({ link_by_email: true, sign_out_at_provider: true });
    const { user, code } = await enrolled('frank@example.org');
    lab.provider.people.set('frank', { email: user.email, email_verified: true });
    const { location, browser, user: refused } = await signIn('frank');
    expect([location.searchParams.get('step'), refused]).toEqual(['code', null]);
    const wrong = await browser.ask('/auth/second-factor', { body: { code: '000000' } });
    expect(((await wrong.json()) as Problem).reason).toBe('wrong_code');
    const foreign = await browser.ask('/auth/second-factor', {
      body: { code: code() },
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(foreign.status).toBe(403);
    const right = await browser.ask('/auth/second-factor', { body: { code: code() } });
    expect(right.status).toBe(200);
    expect(await right.json()).not.toHaveProperty('refresh_token');
    expect(browser.jar.has('fabric_challenge')).toBe(false);
    const [record] = await listAuditRecords('auth.login');
    expect(record?.after).toEqual({ method: 'oidc', second_factor: 'totp' });
    // What signing out at the provider takes came along through the code.
    const out = await browser.ask('/auth/oidc/logout', { method: 'POST' });
    expect(((await out.json()) as SignedOut).provider_url).toContain('id_token_hint=ey');
  });

  it('stays with the provider where it is trusted with it', async () => {
    await lab.store({ link_by_email: true, trusts_second_factor: true });
    const { user } = await enrolled('grace@example.org');
    await sqlClient()`update roles set requires_second_factor = true where name = 'viewer'`;
    lab.provider.people.set('grace', { email: user.email, email_verified: true });
    const { user: signedIn } = await signIn('grace');
    expect(signedIn).toMatchObject({ must_enrol: false });
    await lab.store({ link_by_email: true });
    lab.provider.people.set('heidi', { email: 'heidi@example.org', email_verified: true });
    const heidi = await makeUser('viewer', undefined, { email: 'heidi@example.org' });
    expect((await signIn('heidi')).user).toMatchObject({ id: heidi.id, must_enrol: true, permissions: [] });
    await sqlClient()`update roles set requires_second_factor = false`;
  });
});

describe('passwords', () => {
  const PASSWORD = 'a long walk by the river';
  const login = (email: string) => callJson<Problem>('/auth/login', {}, { body: { email, password: PASSWORD } });
  const change = (user: { id: string }, changes: object) =>
    callJson<User>(`/users/${user.id}`, lab.boss, { method: 'PATCH', body: { ...changes, version: undefined } });

  it('can be switched off for one user, who then comes through the provider only', async () => {
    await lab.store({ link_by_email: true });
    const judy = await makeUser('viewer', undefined, { password_hash: await hashPassword(PASSWORD) });
    const before = await login(judy.email);
    expect(before.status).toBe(200);
    const off = await change(judy, { password_sign_in: false });
    expect([off.status, off.body.password_sign_in, off.body.has_password]).toEqual([200, false, true]);
    expect((await login(judy.email)).status).toBe(401);
    const [record] = await listAuditRecords('auth.login_failed');
    expect(record?.after).toMatchObject({ reason: 'password_not_allowed' });
    const [updated] = await listAuditRecords('user.updated');
    expect(updated).toMatchObject({ before: { password_sign_in: true }, after: { ended_sessions: 1 } });
    lab.provider.people.set('judy', { email: judy.email, email_verified: true });
    expect((await signIn('judy')).user?.id).toBe(judy.id);
    await change(judy, { password_sign_in: true });
    expect((await login(judy.email)).status).toBe(200);
  });

  it("keep the last super administrator's sign-in", async () => {
    const role_id = await roleId('super_admin');
    const held = and(eq(roleAssignments.role_id, role_id));
    const kept = await db.delete(roleAssignments).where(held).returning();
    const [last, other] = [await makeUser('super_admin'), await makeUser('super_admin')];
    const asked = await bearer(other);
    const patch = (user: { id: string }, body: object) =>
      callJson<Problem>(`/users/${user.id}`, asked, { method: 'PATCH', body });
    expect((await patch(last, { password_sign_in: false })).status).toBe(200);
    expect((await patch(other, { password_sign_in: false })).status).toBe(409);
    // Who has no password does not count either.
    await sqlClient()`update users set password_sign_in = true, password_hash = null where id = ${last.id}`;
    expect((await patch(other, { password_sign_in: false })).status).toBe(409);
    await db.insert(roleAssignments).values(kept);
  });

  it('may be left out of a new account', async () => {
    const email = 'kim@example.org';
    const made = await callJson<User>('/users', lab.boss, { body: { email, assignments: [] } });
    expect([made.status, made.body.has_password]).toEqual([201, false]);
    expect((await login(email)).status).toBe(401);
    const headers = await bearer(made.body);
    const changed = await callJson('/account/password', headers, {
      body: { current_password: 'x', new_password: 'quite another password' },
    });
    expect(changed.status).toBe(422);
  });
});
