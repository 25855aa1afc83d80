import { and, desc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CurrentUser } from '@/domain/auth';
import type { ProviderCheck, SignInProvider, UserIdentity } from '@/domain/sign-in-provider';
import type { User } from '@/domain/user';
import { decodeBase32 } from '@/server/auth/base32';
import { hashPassword } from '@/server/auth/password';
import { stepAt, totpCode } from '@/server/auth/totp';
import { db, sqlClient } from '@/server/db/client';
import { oidcSettings, roleAssignments, roles, users } from '@/server/db/schema/access';
import { auditRecords } from '@/server/db/schema/operations';
import { bearer, grantRole, makeTenant, makeUser } from '@/test/factories';
import { OIDC_CLIENT, startOidcProvider } from '@/test/oidc-provider';
import { call } from '@/test/request';

vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');

type Headers = Record<string, string>;
const PUBLIC = 'http://fabric.test';
let provider: Awaited<ReturnType<typeof startOidcProvider>>;
let boss: Headers;
let input: Record<string, unknown>;

beforeAll(async () => {
  provider = await startOidcProvider(() => `${PUBLIC}/api/v1/auth/oidc/callback`);
  boss = await bearer(await makeUser('super_admin'));
});
afterAll(() => provider.stop());
beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
  await sqlClient()`delete from oidc_role_mappings`;
  await sqlClient()`delete from oidc_settings`;
  input = {
    enabled: true,
    label: 'Example',
    issuer: provider.issuer,
    ...OIDC_CLIENT,
    scopes: ['email', 'profile', 'groups'],
    group_claim: 'groups',
    public_url: `${PUBLIC}/`,
    create_users: true,
    link_by_email: false,
    trusts_second_factor: false,
    mappings: [],
  };
});

async function ask<T>(path: string, headers: Headers, init: { method?: string; body?: unknown } = {}) {
  const response = await call(path, { headers, ...init });
  return { status: response.status, body: (response.status === 204 ? null : await response.json()) as T };
}
type Problem = { errors?: { field: string }[]; reason?: string };
const store = (changes: object = {}) =>
  ask<SignInProvider & Problem>('/settings/sign-in-provider', boss, { method: 'PUT', body: { ...input, ...changes } });
const roleId = async (name: string) =>
  (await db.select({ id: roles.id }).from(roles).where(eq(roles.name, name)))[0]?.id ?? '';

/** Cookies of one browser, by name. */
class Browser {
  readonly jar = new Map<string, string>();
  header = () => [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  take(response: Response): Response {
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
      if (value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
    return response;
  }
  ask = async (path: string, init: Parameters<typeof call>[1] = {}) =>
    this.take(await call(path, { ...init, headers: { ...init.headers, cookie: this.header() } }));
}

/** Goes to the provider, is `sub` there, and returns with what the provider says: the query of the callback. */
async function answerOf(browser: Browser, sub: string, next = '/policies'): Promise<string> {
  const started = await browser.ask(`/auth/oidc/start?next=${encodeURIComponent(next)}`);
  expect(started.status).toBe(302);
  const there = new Browser();
  let url = started.headers.get('location') ?? '';
  for (let hop = 0; hop < 10; hop += 1) {
    if (url.startsWith(PUBLIC)) return new URL(url).search;
    if (url.includes('/interaction/')) url += `?sub=${sub}`;
    const response = there.take(await fetch(url, { redirect: 'manual', headers: { cookie: there.header() } }));
    url = new URL(response.headers.get('location') ?? '', url).href;
  }
  throw new Error('the provider sends in circles');
}
/** Comes back from the provider. @returns where the browser is sent */
async function comeBack(browser: Browser, query: string) {
  const response = await browser.ask(`/auth/oidc/callback${query}`);
  expect(response.status).toBe(302);
  const location = new URL(response.headers.get('location') ?? '', PUBLIC);
  expect(location.pathname).toBe('/login');
  return { problem: location.searchParams.get('problem'), next: location.searchParams.get('next'), location };
}
/** Signs in through the provider. @returns who one is then, or the problem */
async function signIn(sub: string) {
  const browser = new Browser();
  const { problem, next, location } = await comeBack(browser, await answerOf(browser, sub));
  if (problem) return { problem, user: null, browser, location };
  const refreshed = await browser.ask('/auth/refresh', { body: {} });
  const body = refreshed.ok ? ((await refreshed.json()) as { access_token: string; user: CurrentUser }) : null;
  const headers = { authorization: `Bearer ${body?.access_token}` };
  return { problem: null, user: body?.user ?? null, browser, next, headers, location };
}
const auditOf = (action: string) =>
  db.select().from(auditRecords).where(eq(auditRecords.action, action)).orderBy(desc(auditRecords.seq));
const rolesOf = async (user: { id: string }) =>
  (await ask<User>(`/users/${user.id}`, boss)).body.assignments.map(({ role, tenant_id, source }) => [
    role,
    tenant_id,
    source,
  ]);

describe('the settings', () => {
  it('keep the secret to themselves and tell the sign-in page the label only', async () => {
    expect((await ask<SignInProvider>('/settings/sign-in-provider', boss)).body).toMatchObject({ configured: false });
    expect((await ask('/auth/methods', {})).body).toEqual({ oidc: null });
    const stored = await store();
    expect(stored.status, JSON.stringify(stored.body)).toBe(200);
    expect(stored.body).toMatchObject({ has_client_secret: true, public_url: PUBLIC, version: 1 });
    expect(stored.body.scopes).toEqual(['openid', 'email', 'profile', 'groups']);
    const [row] = await db.select().from(oidcSettings);
    const [record] = await auditOf('settings.sign_in_provider_updated');
    for (const text of [stored.body, row, record].map((one) => JSON.stringify(one))) {
      expect(text).not.toContain(OIDC_CLIENT.client_secret);
    }
    expect((await ask('/auth/methods', {})).body).toEqual({ oidc: { label: 'Example' } });
    const again = await store({ client_secret: undefined });
    expect(again.body.version).toBe(1);
    expect(await auditOf('settings.sign_in_provider_updated')).toHaveLength(1);
    expect((await store({ label: 'Other', version: 7 })).status).toBe(409);
    expect((await store({ client_secret: undefined, label: 'Other' })).body).toMatchObject({
      version: 2,
      has_client_secret: true,
    });
  });

  it('never send a stored secret to another issuer, and refuse what cannot be', async () => {
    await store();
    const moved = await store({ client_secret: undefined, issuer: 'https://elsewhere.example.org' });
    expect([moved.status, moved.body.errors?.[0]?.field]).toEqual([400, 'client_secret']);
    const cases: [object, string, number][] = [
      [{ issuer: 'ftp://id.example.org' }, 'issuer', 400],
      [{ issuer: 'https://user:pass@id.example.org' }, 'issuer', 400],
      [{ public_url: 'fabric' }, 'public_url', 400],
      [{ scopes: ['two words'] }, 'scopes.0', 400],
      [{ mappings: [{ group: 'a', role_id: crypto.randomUUID() }] }, 'mappings.0.role_id', 404],
    ];
    for (const [changes, field, status] of cases) {
      const refused = await store(changes);
      expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([status, field]);
    }
    const role_id = await roleId('viewer');
    const twice = await store({
      mappings: [
        { group: 'a', role_id },
        { group: 'a', role_id },
      ],
    });
    expect(twice.body.errors?.[0]?.field).toBe('mappings.1');
  });

  it('are checked against the provider, at allowed addresses only', async () => {
    const check = (issuer: string) =>
      ask<ProviderCheck & Problem>('/settings/sign-in-provider/check', boss, { body: { issuer } });
    const { status, body } = await check(provider.issuer);
    expect([status, body.pkce]).toEqual([200, true]);
    expect(body.token_endpoint).toContain(provider.issuer);
    for (const issuer of [`${provider.issuer}/`, 'https://169.254.169.254', 'http://192.0.2.1', 'http://127.0.0.1:1']) {
      const refused = await check(issuer);
      expect([refused.status, refused.body.errors?.[0]?.field], issuer).toEqual([422, 'issuer']);
    }
  });
});

describe('signing in through a provider', () => {
  it('makes an account at the first time and knows it afterwards by its subject alone', async () => {
    await store();
    provider.people.set('alice', { email: 'Alice@Example.org', email_verified: true, name: 'Alice' });
    const first = await signIn('alice');
    expect(first.problem).toBeNull();
    expect(first.user).toMatchObject({ email: 'alice@example.org', name: 'Alice', permissions: [] });
    expect(first.next).toBe('/policies');
    const [login] = await auditOf('auth.login');
    expect(login?.after).toEqual({ method: 'oidc', second_factor: null });
    provider.people.set('alice', { email: 'renamed@example.org', email_verified: false });
    const second = await signIn('alice');
    expect(second.user?.id).toBe(first.user?.id);
    const { body } = await ask<{ items: UserIdentity[] }>(`/users/${first.user?.id}/identities`, boss);
    expect(body.items).toMatchObject([{ issuer: provider.issuer, subject: 'alice', email: 'renamed@example.org' }]);
    // It has no password, and none gets in.
    expect((await ask('/auth/login', {}, { body: { email: 'alice@example.org', password: 'x' } })).status).toBe(401);
    const [row] = await db.select().from(users).where(eq(users.email, 'alice@example.org'));
    expect(row?.password_hash).toBeNull();
  });

  it('makes of many first sign-ins at once one account', async () => {
    await store();
    provider.people.set('crowd', { email: 'crowd@example.org', email_verified: true });
    const browsers = Array.from({ length: 5 }, () => new Browser());
    const answers = await Promise.all(browsers.map((one) => answerOf(one, 'crowd')));
    const results = await Promise.all(browsers.map((one, i) => comeBack(one, answers[i] ?? '')));
    expect(results.map(({ problem }) => problem)).toEqual([null, null, null, null, null]);
    expect(await db.select().from(users).where(eq(users.email, 'crowd@example.org'))).toHaveLength(1);
  });

  it('lets nobody in that it does not know, or whose address is not verified', async () => {
    await store({ create_users: false });
    provider.people.set('bob', { email: 'bob@example.org', email_verified: true });
    expect((await signIn('bob')).problem).toBe('unknown_account');
    await store({ version: undefined });
    for (const [person, problem] of [
      [{ email: 'bob@example.org' }, 'email_not_verified'],
      [{ email: 'bob@example.org', email_verified: false }, 'email_not_verified'],
      [{}, 'unknown_account'],
    ] as const) {
      provider.people.set('bob', person);
      expect((await signIn('bob')).problem).toBe(problem);
    }
    const [record] = await auditOf('auth.login_failed');
    expect(record).toMatchObject({ object_id: null, after: { reason: 'provider_unknown_account' } });
    expect((await signIn('nobody')).problem).toBe('refused');
    expect(await db.select().from(users).where(eq(users.email, 'bob@example.org'))).toEqual([]);
  });

  it('takes over an account by its address only where that is allowed, verified, and it belongs to nobody', async () => {
    const carol = await makeUser('viewer', undefined, { email: 'carol@example.org' });
    provider.people.set('carol', { email: 'carol@example.org', email_verified: true });
    provider.people.set('mallory', { email: 'carol@example.org', email_verified: false });
    await store();
    expect((await signIn('carol')).problem).toBe('email_taken');
    await store({ link_by_email: true });
    expect((await signIn('mallory')).problem).toBe('email_not_verified');
    const linked = await signIn('carol');
    expect(linked.user?.id).toBe(carol.id);
    expect(await auditOf('user.identity_linked')).not.toEqual([]);
    provider.people.set('mallory', { email: 'carol@example.org', email_verified: true });
    expect((await signIn('mallory')).problem).toBe('email_taken');
    await db.update(users).set({ active: false }).where(eq(users.id, carol.id));
    expect((await signIn('carol')).problem).toBe('inactive');
    await db.update(users).set({ active: true }).where(eq(users.id, carol.id));
    const { body } = await ask<{ items: UserIdentity[] }>(`/users/${carol.id}/identities`, boss);
    const path = `/users/${carol.id}/identities/${body.items[0]?.id}`;
    expect((await ask(path, boss, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(path, boss, { method: 'DELETE' })).status).toBe(404);
    expect((await ask('/auth/me', linked.headers ?? {})).status).toBe(401);
  });
});

describe('roles of groups', () => {
  it('are given and taken at every sign-in; what was given by hand stays', async () => {
    const tenant = await makeTenant();
    const [viewer, auditor, engineer] = [
      await roleId('viewer'),
      await roleId('auditor'),
      await roleId('security_engineer'),
    ];
    const stored = await store({
      mappings: [
        { group: 'net', role_id: engineer, tenant_id: tenant.id },
        { group: 'all', role_id: viewer },
        { group: 'audit', role_id: auditor },
        { group: 'audit too', role_id: auditor },
      ],
    });
    expect(stored.body.mappings.map(({ group }) => group)).toEqual(['all', 'audit', 'audit too', 'net']);
    provider.people.set('dave', {
      email: 'dave@example.org',
      email_verified: true,
      groups: ['net', 'audit', 'audit too'],
    });
    const { user } = await signIn('dave');
    if (!user) throw new Error('dave is not in');
    expect(await rolesOf(user)).toEqual([
      ['auditor', null, 'oidc'],
      ['security_engineer', tenant.id, 'oidc'],
    ]);
    const [record] = await auditOf('user.roles_changed');
    expect(record).toMatchObject({ actor_kind: 'system', actor_name: 'sign-in provider', object_id: user.id });
    await grantRole(user, 'viewer');
    provider.people.set('dave', { email: 'dave@example.org', email_verified: true, groups: ['all'] });
    await signIn('dave');
    expect(await rolesOf(user)).toEqual([['viewer', null, 'manual']]);
    // The same again changes and records nothing; a missing claim means no groups.
    const before = (await auditOf('user.roles_changed')).length;
    await signIn('dave');
    provider.people.set('dave', { email: 'dave@example.org', email_verified: true });
    await signIn('dave');
    expect(await rolesOf(user)).toEqual([['viewer', null, 'manual']]);
    expect(await auditOf('user.roles_changed')).toHaveLength(before);
    const gone = await ask<Problem>(`/roles/${await ownMappedRole()}`, boss, { method: 'DELETE' });
    expect(gone.status).toBe(409);
  });

  async function ownMappedRole() {
    const { body } = await ask<{ id: string }>('/roles', boss, {
      body: { name: 'mapped', title: 'Mapped', permissions: ['flow:read'] },
    });
    await store({ mappings: [{ group: 'x', role_id: body.id }] });
    return body.id;
  }

  it('never leave nobody as super administrator', async () => {
    const role_id = await roleId('super_admin');
    await store({ mappings: [{ group: 'root', role_id }], link_by_email: true });
    const erin = await makeUser(null, undefined, { email: 'erin@example.org' });
    provider.people.set('erin', { email: erin.email, email_verified: true, groups: ['root'] });
    await signIn('erin');
    expect(await rolesOf(erin)).toEqual([['super_admin', null, 'oidc']]);
    const others = and(eq(roleAssignments.role_id, role_id), eq(roleAssignments.source, 'manual'));
    const kept = await db.delete(roleAssignments).where(others).returning();
    provider.people.set('erin', { email: erin.email, email_verified: true, groups: [] });
    await signIn('erin');
    const held = await db.select().from(roleAssignments).where(eq(roleAssignments.user_id, erin.id));
    expect(held.map(({ source }) => source)).toEqual(['oidc']);
    await db.insert(roleAssignments).values(kept);
    await signIn('erin');
    expect(await rolesOf(erin)).toEqual([]);
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

  it('is asked for after the provider, too', async () => {
    await store({ link_by_email: true });
    const { user, code } = await enrolled('frank@example.org');
    provider.people.set('frank', { email: user.email, email_verified: true });
    const { location, browser, user: nobody } = await signIn('frank');
    expect([location.searchParams.get('step'), nobody]).toEqual(['code', null]);
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
    const [record] = await auditOf('auth.login');
    expect(record?.after).toEqual({ method: 'oidc', second_factor: 'totp' });
  });

  it("is the provider's matter where it is trusted with it", async () => {
    await store({ link_by_email: true, trusts_second_factor: true });
    const { user } = await enrolled('grace@example.org');
    await sqlClient()`update roles set requires_second_factor = true where name = 'viewer'`;
    provider.people.set('grace', { email: user.email, email_verified: true });
    const { user: signedIn } = await signIn('grace');
    expect(signedIn).toMatchObject({ must_enrol: false });
    await store({ link_by_email: true });
    provider.people.set('heidi', { email: 'heidi@example.org', email_verified: true });
    const heidi = await makeUser('viewer', undefined, { email: 'heidi@example.org' });
    expect((await signIn('heidi')).user).toMatchObject({ id: heidi.id, must_enrol: true, permissions: [] });
    await sqlClient()`update roles set requires_second_factor = false`;
  });
});

describe('passwords', () => {
  const PASSWORD = 'a long walk by the river';
  const login = (email: string) => ask<Problem>('/auth/login', {}, { body: { email, password: PASSWORD } });
  const change = (user: { id: string }, changes: object) =>
    ask<User>(`/users/${user.id}`, boss, { method: 'PATCH', body: { ...changes, version: undefined } });

  it('can be switched off for one user, who then comes through the provider only', async () => {
    await store({ link_by_email: true });
    const judy = await makeUser('viewer', undefined, { password_hash: await hashPassword(PASSWORD) });
    const before = await login(judy.email);
    expect(before.status).toBe(200);
    const off = await change(judy, { password_sign_in: false });
    expect([off.status, off.body.password_sign_in, off.body.has_password]).toEqual([200, false, true]);
    expect((await login(judy.email)).status).toBe(401);
    const [record] = await auditOf('auth.login_failed');
    expect(record?.after).toMatchObject({ reason: 'password_not_allowed' });
    const [updated] = await auditOf('user.updated');
    expect(updated).toMatchObject({ before: { password_sign_in: true }, after: { ended_sessions: 1 } });
    provider.people.set('judy', { email: judy.email, email_verified: true });
    expect((await signIn('judy')).user?.id).toBe(judy.id);
    await change(judy, { password_sign_in: true });
    expect((await login(judy.email)).status).toBe(200);
  });

  it('of the last super administrator stay', async () => {
    const role_id = await roleId('super_admin');
    const held = and(eq(roleAssignments.role_id, role_id));
    const kept = await db.delete(roleAssignments).where(held).returning();
    const [last, other] = [await makeUser('super_admin'), await makeUser('super_admin')];
    const asked = await bearer(other);
    const patch = (user: { id: string }, body: object) =>
      ask<Problem>(`/users/${user.id}`, asked, { method: 'PATCH', body });
    expect((await patch(last, { password_sign_in: false })).status).toBe(200);
    expect((await patch(other, { password_sign_in: false })).status).toBe(409);
    // Who has no password does not count either.
    await sqlClient()`update users set password_sign_in = true, password_hash = null where id = ${last.id}`;
    expect((await patch(other, { password_sign_in: false })).status).toBe(409);
    await db.insert(roleAssignments).values(kept);
  });

  it('may be left out of a new account', async () => {
    const email = 'kim@example.org';
    const made = await ask<User>('/users', boss, { body: { email, assignments: [] } });
    expect([made.status, made.body.has_password]).toEqual([201, false]);
    expect((await login(email)).status).toBe(401);
    const headers = await bearer(made.body);
    const changed = await ask('/account/password', headers, {
      body: { current_password: 'x', new_password: 'quite another password' },
    });
    expect(changed.status).toBe(422);
  });
});

describe('the answer of the provider', () => {
  beforeEach(async () => {
    await store();
    provider.people.set('ivan', { email: 'ivan@example.org', email_verified: true });
  });

  it('counts once, in the browser that began, with the state that it was given', async () => {
    const browser = new Browser();
    const query = await answerOf(browser, 'ivan');
    expect((await comeBack(new Browser(), query)).problem).toBe('expired');
    const other = new Browser();
    await answerOf(other, 'ivan');
    expect((await comeBack(other, query)).problem).toBe('invalid');
    const tampered = new Browser();
    await answerOf(tampered, 'ivan');
    tampered.jar.set('fabric_sign_in', `${tampered.jar.get('fabric_sign_in')?.slice(0, -4)}AAAA`);
    expect((await comeBack(tampered, query)).problem).toBe('expired');
    expect((await comeBack(browser, query)).problem).toBeNull();
    expect((await comeBack(browser, query)).problem).toBe('expired');
  });

  it('takes the place of the sign-in that this browser held', async () => {
    const first = await signIn('ivan');
    expect((await ask('/auth/me', first.headers ?? {})).status).toBe(200);
    const elsewhere = await signIn('ivan');
    const { problem } = await comeBack(first.browser, await answerOf(first.browser, 'ivan'));
    expect(problem).toBeNull();
    expect((await ask('/auth/me', first.headers ?? {})).status).toBe(401);
    expect((await ask('/auth/me', elsewhere.headers ?? {})).status).toBe(200);
  });

  it.each(['cross-site', 'same-site'])('is not begun by a page of another site (%s)', async (site) => {
    const browser = new Browser();
    const start = (from: string) =>
      browser.ask('/auth/oidc/start?next=%2Fpolicies', { headers: { 'sec-fetch-site': from } });
    const refused = await start(site);
    expect([refused.status, refused.headers.get('location')]).toEqual([302, '/login?next=%2Fpolicies']);
    expect(browser.jar.size).toBe(0);
    for (const from of ['same-origin', 'none']) {
      expect((await start(from)).headers.get('location')).toMatch(/^http:\/\/(127|localhost)/);
    }
  });

  it('is not looked at any more after too many that could not be used', async () => {
    const browser = new Browser();
    for (let i = 0; i < 31; i += 1) {
      await browser.ask('/auth/oidc/start');
      const { problem } = await comeBack(browser, '?code=x&state=y');
      expect(problem).toBe(i < 30 ? 'invalid' : 'too_many');
    }
  });

  it('is refused from another issuer, without code, and while the provider is switched off', async () => {
    const wrongIssuer = new Browser();
    const query = new URLSearchParams(await answerOf(wrongIssuer, 'ivan'));
    query.set('iss', 'https://evil.example.org');
    expect((await comeBack(wrongIssuer, `?${query}`)).problem).toBe('invalid');
    const noCode = new Browser();
    const given = new URLSearchParams(await answerOf(noCode, 'ivan'));
    given.delete('code');
    expect((await comeBack(noCode, `?${given}`)).problem).toBe('invalid');
    const late = new Browser();
    const good = await answerOf(late, 'ivan');
    await store({ enabled: false });
    expect((await comeBack(late, good)).problem).toBe('disabled');
    const started = await new Browser().ask('/auth/oidc/start');
    expect(started.headers.get('location')).toBe('/login?problem=disabled');
  });
});
