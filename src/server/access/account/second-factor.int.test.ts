import { and, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CurrentUser } from '@/domain/auth';
import type { Role } from '@/domain/role';
import type { Enrolment, RecoveryCodes, SecondFactorState } from '@/domain/second-factor';
import { newApiToken } from '@/server/access/account/api-tokens';
import { hashPassword } from '@/server/access/sign-in/passwords';
import { decodeBase32, hashRecoveryCode, stepAt, totpCode } from '@/server/auth/one-time-codes';
import { hashToken } from '@/server/auth/session-tokens';
import { db, sqlClient } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { apiTokens, recoveryCodes, secondFactors } from '@/server/db/schema/sign-in';
import { clock } from '@/server/lib/clock';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { callJson } from '@/test/request';

type Headers = Record<string, string>;
type Problem = { reason?: string; errors?: { field: string }[] };
const PASSWORD = 'a long walk by the river';
const MINUTE = 60;

let time: ReturnType<typeof fakeClock>;
beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
  await sqlClient()`update roles set requires_second_factor = false`;
  time = fakeClock();
});
afterEach(() => time.restore());

const person = async (role: Parameters<typeof makeUser>[0] = 'viewer') =>
  makeUser(role, undefined, { password_hash: await hashPassword(PASSWORD) });
type Person = Awaited<ReturnType<typeof person>>;

type Answer = Problem & {
  access_token?: string;
  user?: CurrentUser;
  second_factor?: { challenge_token: string; methods: string[]; expires_in: number };
};
const login = (user: Person, password = PASSWORD) =>
  callJson<Answer>('/auth/login', {}, { body: { email: user.email, password } });
const withToken = (answer: Answer): Headers => ({ authorization: `Bearer ${answer.access_token}` });
const submitCode = (challenge_token: string, code: string) =>
  callJson<Answer>('/auth/second-factor', {}, { body: { challenge_token, code } });
/** The code that the app shows now. */
const getCode = (secret: string) => totpCode(decodeBase32(secret), stepAt(clock.now()));
const getChallengeToken = async (user: Person) => {
  const { body } = await login(user);
  return body.second_factor?.challenge_token ?? '';
};

/** Sets up an app in a new sign-in. */
async function enroll(user: Person) {
  const headers = withToken((await login(user)).body);
  const begun = await callJson<Enrolment>('/account/second-factor/begin', headers, { body: {} });
  expect(begun.status).toBe(200);
  const { secret } = begun.body;
  const confirmed = await callJson<RecoveryCodes>('/account/second-factor/confirm', headers, {
    body: { code: getCode(secret) },
  });
  expect(confirmed.status, JSON.stringify(confirmed.body)).toBe(200);
  time.advance(30);
  return { headers, secret, codes: confirmed.body.recovery_codes };
}
const getState = (headers: Headers) => callJson<SecondFactorState>('/account/second-factor', headers);
const listAuditRecords = async (action: string, userId: string) =>
  (await auditTrail(and(eq(auditRecords.action, action), eq(auditRecords.object_id, userId)))).reverse();

describe('setting up', () => {
  it('takes a code, ends other sign-ins and shows recovery codes once', async () => {
    const user = await person();
    const elsewhere = withToken((await login(user)).body);
    const waiting = withToken((await login(user)).body);
    expect((await getState(waiting)).body).toMatchObject({
      enrolled_at: null,
      recovery_codes_left: 0,
      required_by: [],
    });
    const begun = await callJson<Enrolment>('/account/second-factor/begin', waiting, { body: {} });
    expect(begun.body.otpauth_uri).toContain(`secret=${begun.body.secret}`);
    // Not confirmed yet: nothing is asked for.
    expect((await login(user)).body.access_token).toBeDefined();
    const wrong = await callJson<Problem>('/account/second-factor/confirm', waiting, { body: { code: '000000' } });
    expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([400, 'code']);
    const { codes, headers } = await enroll(user);
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
    expect((await callJson('/auth/me', elsewhere)).status).toBe(401);
    expect((await callJson('/auth/me', headers)).status).toBe(200);
    expect((await getState(headers)).body).toMatchObject({ recovery_codes_left: 10, has_password: true });
    const again = await callJson('/account/second-factor/begin', headers, { body: {} });
    expect(again.status).toBe(409);
    const [record] = await listAuditRecords('auth.second_factor_set_up', user.id);
    expect(record?.after).toMatchObject({ ended_sessions: 3 });
  });

  it('stores neither secret nor codes readable, and audits neither', async () => {
    const user = await person();
    const { secret, codes } = await enroll(user);
    const [factor] = await db.select().from(secondFactors).where(eq(secondFactors.user_id, user.id));
    const hashes = await db.select().from(recoveryCodes).where(eq(recoveryCodes.user_id, user.id));
    const records = await auditTrail();
    const stored = JSON.stringify([factor, hashes, records]);
    for (const text of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
      expect(stored).not.toContain(text);
    }
    expect(hashes).toHaveLength(10);
  });

  it('asks for the password when the sign-in is not fresh', async () => {
    const user = await person();
    const headers = withToken((await login(user)).body);
    time.advance(11 * MINUTE);
    expect((await getState(headers)).body.proof_needed).toBe(true);
    const begin = (body: object) => callJson<Problem>('/account/second-factor/begin', headers, { body });
    for (const body of [{}, { current_password: 'not the password' }]) {
      const refused = await begin(body);
      expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([400, 'current_password']);
    }
    expect((await begin({ current_password: PASSWORD })).status).toBe(200);
    const outsider = await makeUser('viewer', undefined, { password_hash: null });
    const stale = await bearer(outsider);
    time.advance(11 * MINUTE);
    expect((await callJson('/account/second-factor/begin', stale, { body: {} })).status).toBe(422);
  });
});

describe('signing in', () => {
  it('takes two steps, and every code once', async () => {
    const user = await person();
    const { secret, headers: old } = await enroll(user);
    const first = await login(user);
    expect(first.status).toBe(200);
    expect(first.body.access_token).toBeUndefined();
    expect(first.body.second_factor).toMatchObject({ methods: ['totp', 'recovery_code'], expires_in: 600 });
    const challenge = first.body.second_factor?.challenge_token ?? '';
    const code = getCode(secret);
    const second = await submitCode(challenge, `${code.slice(0, 3)} ${code.slice(3)}`);
    expect(second.status).toBe(200);
    expect((await callJson('/auth/me', withToken(second.body))).status).toBe(200);
    expect((await callJson('/auth/me', old)).status).toBe(200);
    // The challenge is used, and the code cannot be used in another sign-in.
    expect((await submitCode(challenge, code)).body.reason).toBe('challenge_over');
    expect((await submitCode(await getChallengeToken(user), code)).body).toMatchObject({
      status: 401,
      reason: 'wrong_code',
    });
    const [record] = await listAuditRecords('auth.login', user.id);
    expect(record?.after).toEqual({ method: 'password', second_factor: 'totp' });
    const sessions = await callJson<{ items: { second_factor: string | null }[] }>('/account/sessions', old);
    expect(sessions.body.items.map((one) => one.second_factor)).toEqual(['totp', 'totp']);
  });

  it('takes a recovery code instead, once', async () => {
    const user = await person();
    const { codes } = await enroll(user);
    const [spent = ''] = codes;
    const ok = await submitCode(await getChallengeToken(user), spent.toLowerCase());
    expect(ok.status).toBe(200);
    expect((await getState(withToken(ok.body))).body.recovery_codes_left).toBe(9);
    expect((await submitCode(await getChallengeToken(user), spent)).body.reason).toBe('wrong_code');
  });

  it('takes a shorter recovery code of an earlier version, once', async () => {
    const user = await person();
    await enroll(user);
    const older = 'ABCD-EFGH-IJKL-MNO2';
    await db.insert(recoveryCodes).values({ user_id: user.id, code_hash: hashRecoveryCode(older) });
    expect((await submitCode(await getChallengeToken(user), older.toLowerCase())).status).toBe(200);
    expect((await submitCode(await getChallengeToken(user), older)).body.reason).toBe('wrong_code');
  });

  it('lets in only one of several concurrent attempts with the same code', async () => {
    const user = await person();
    const { secret } = await enroll(user);
    const challenges = [await getChallengeToken(user), await getChallengeToken(user), await getChallengeToken(user)];
    const code = getCode(secret);
    const statuses = await Promise.all(challenges.map(async (one) => (await submitCode(one, code)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('locks after wrong codes, and the right password does not wipe them out', async () => {
    const user = await person();
    const { secret } = await enroll(user);
    const guess = getCode(secret) === '123456' ? '654321' : '123456';
    for (let i = 0; i < 5; i += 1) expect((await submitCode(await getChallengeToken(user), guess)).status).toBe(401);
    expect((await login(user)).status).toBe(429);
    const [record] = await listAuditRecords('auth.login_failed', user.id);
    expect(record?.after).toMatchObject({ reason: 'wrong_code' });
    time.advance(31);
    expect((await submitCode(await getChallengeToken(user), getCode(secret))).status).toBe(200);
    // A success makes good what was wrong before.
    time.advance(30);
    for (let i = 0; i < 4; i += 1) expect((await submitCode(await getChallengeToken(user), guess)).status).toBe(401);
    expect((await submitCode(await getChallengeToken(user), getCode(secret))).status).toBe(200);
  });

  it('lets concurrent guesses get no more tries than the limit', async () => {
    const user = await person();
    const { secret } = await enroll(user);
    const challenge = await getChallengeToken(user);
    const right = getCode(secret);
    const wrong = Array.from({ length: 12 }, (_, i) => String(100000 + i)).filter((code) => code !== right);
    const statuses = await Promise.all(wrong.map(async (code) => (await submitCode(challenge, code)).status));
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect((await submitCode(challenge, right)).status).toBe(429);
  });

  it('forgets the first step after ten minutes, a new password and deactivation', async () => {
    const user = await person();
    const { secret, headers } = await enroll(user);
    const late = await getChallengeToken(user);
    time.advance(10 * MINUTE + 1);
    expect((await submitCode(late, getCode(secret))).body.reason).toBe('challenge_over');
    const begun = await getChallengeToken(user);
    const changed = await callJson('/account/password', headers, {
      body: { current_password: PASSWORD, new_password: 'quite another password' },
    });
    expect(changed.status).toBe(200);
    expect((await submitCode(begun, getCode(secret))).body.reason).toBe('challenge_over');
  });

  it('refuses what is no code by name', async () => {
    for (const code of ['', '12345', '1234567', 'abcdefgh', 'ABCD-EFGH-IJKL-MNO1']) {
      const { status, body } = await submitCode('x', code);
      expect([status, body.errors?.[0]?.field], code).toEqual([400, 'code']);
    }
    expect((await submitCode('nobody knows this', '123456')).body).toMatchObject({ reason: 'challenge_over' });
  });
});

describe('changing', () => {
  it('renews recovery codes with the password', async () => {
    const user = await person();
    const { headers, codes } = await enroll(user);
    const renew = (body: object) =>
      callJson<RecoveryCodes & Problem>('/account/second-factor/recovery-codes', headers, { body });
    expect((await renew({})).body.errors?.[0]?.field).toBe('current_password');
    expect((await renew({ code: '123456' })).status).toBe(400);
    expect((await renew({ current_password: 'wrong' })).body.errors?.[0]?.field).toBe('current_password');
    const { body } = await renew({ current_password: PASSWORD });
    expect(body.recovery_codes).toHaveLength(10);
    expect((await submitCode(await getChallengeToken(user), codes[0] ?? '')).status).toBe(401);
    expect((await submitCode(await getChallengeToken(user), body.recovery_codes[0] ?? '')).status).toBe(200);
    expect(await listAuditRecords('auth.recovery_codes_renewed', user.id)).toHaveLength(1);
  });

  it('switches off with the password, and without one with a code', async () => {
    const user = await person();
    const { headers } = await enroll(user);
    const remove = (by: Headers, body: object) => callJson<Problem>('/account/second-factor/remove', by, { body });
    expect((await remove(headers, { current_password: 'wrong' })).status).toBe(400);
    expect((await remove(headers, { current_password: PASSWORD })).status).toBe(204);
    expect((await remove(headers, { current_password: PASSWORD })).status).toBe(409);
    expect((await login(user)).body.access_token).toBeDefined();
    const other = await person();
    const { headers: theirs, secret } = await enroll(other);
    await sqlClient()`update users set password_hash = null where id = ${other.id}`;
    expect((await getState(theirs)).body.has_password).toBe(false);
    expect((await remove(theirs, {})).body.errors?.[0]?.field).toBe('code');
    expect((await remove(theirs, { code: '000000' })).body.errors?.[0]?.field).toBe('code');
    expect((await remove(theirs, { code: getCode(secret) })).status).toBe(204);
  });

  it('succeeds for an administrator with no fewer permissions, and ends all sign-ins', async () => {
    const [admin, boss] = [await person('admin'), await person('super_admin')];
    const { headers } = await enroll(boss);
    const user = await person();
    const { headers: theirs } = await enroll(user);
    const asAdmin = await bearer(admin);
    const reset = (who: { id: string }, by: Headers) =>
      callJson<{ second_factor_at: string | null }>(`/users/${who.id}/second-factor`, by, { method: 'DELETE' });
    expect((await reset(boss, asAdmin)).status).toBe(403);
    expect((await reset(boss, headers)).status).toBe(409);
    expect((await reset(user, await bearer(await person('auditor')))).status).toBe(403);
    const done = await reset(user, asAdmin);
    expect([done.status, done.body.second_factor_at]).toEqual([200, null]);
    expect((await callJson('/auth/me', theirs)).status).toBe(401);
    expect((await login(user)).body.access_token).toBeDefined();
    expect((await reset(user, asAdmin)).status).toBe(409);
    expect(await listAuditRecords('user.second_factor_reset', user.id)).toHaveLength(1);
    const listed = await callJson<{ items: { id: string; second_factor_at: string }[] }>(
      '/users?second_factor=true',
      asAdmin,
    );
    expect(listed.body.items.map(({ id }) => id)).toContain(boss.id);
    expect(listed.body.items.map(({ id }) => id)).not.toContain(user.id);
    expect(listed.body.items[0]?.second_factor_at).toMatch(/^\d{4}-.*Z$/);
  });
});

describe('a role that asks for it', () => {
  async function askFor(name: string, by: Headers, requires_second_factor = true) {
    const { body } = await callJson<{ items: Role[] }>(`/roles?q=${name}`, by);
    const role = body.items.find((one) => one.name === name);
    const saved = await callJson<Role & Problem>(`/roles/${role?.id}`, by, {
      method: 'PATCH',
      body: { requires_second_factor, version: role?.version },
    });
    return { ...saved, role };
  }

  it('lets its holders do nothing before, in sessions that are open too, and everything after', async () => {
    const boss = await bearer(await person('super_admin'));
    const user = await person('security_engineer');
    const before = withToken((await login(user)).body);
    const token = newApiToken();
    await db.insert(apiTokens).values({
      user_id: user.id,
      name: 'nightly',
      prefix: token.prefix,
      token_hash: hashToken(token.token),
      permissions: ['policy:read'],
      expires_at: '2999-01-01T00:00:00Z',
    });
    expect((await callJson('/policies', before)).status).toBe(200);
    expect((await askFor('security_engineer', boss)).status).toBe(200);
    const refused = await callJson<Problem>('/policies', before);
    expect([refused.status, refused.body.reason]).toEqual([403, 'second_factor_not_set_up']);
    for (const path of ['/account/tokens', '/account/sessions', '/agents/install-info', '/events']) {
      expect((await callJson(path, before)).status, path).toBe(403);
    }
    const me = await callJson<CurrentUser>('/auth/me', before);
    expect(me.body).toMatchObject({ must_enrol: true, permissions: [], grants: [] });
    // The requirement is for people: API tokens keep working.
    expect((await callJson('/policies', { authorization: `Bearer ${token.token}` })).status).toBe(200);

    const signedIn = await login(user);
    expect(signedIn.body.user).toMatchObject({ must_enrol: true, permissions: [] });
    const headers = withToken(signedIn.body);
    expect((await getState(headers)).body.required_by).toEqual(['Security engineer']);
    const { body } = await callJson<Enrolment>('/account/second-factor/begin', headers, { body: {} });
    await callJson('/account/second-factor/confirm', headers, { body: { code: getCode(body.secret) } });
    expect((await callJson<CurrentUser>('/auth/me', headers)).body).toMatchObject({ must_enrol: false });
    expect((await callJson('/policies', headers)).status).toBe(200);
    expect((await callJson('/policies', before)).status).toBe(401);
    const off = await callJson<Problem>('/account/second-factor/remove', headers, {
      body: { current_password: PASSWORD },
    });
    expect(off.status).toBe(422);
    expect((await askFor('security_engineer', boss, false)).status).toBe(200);
  });

  it('may be a built-in one, whose other parts stay, and whose rights the actor has', async () => {
    const boss = await bearer(await person('super_admin'));
    const admin = await bearer(await person('admin'));
    expect((await askFor('super_admin', admin)).status).toBe(403);
    const { status, body, role } = await askFor('viewer', admin);
    expect([status, body.requires_second_factor]).toEqual([200, true]);
    for (const change of [{ title: 'Other' }, { permissions: ['policy:read'] }]) {
      const refused = await callJson(`/roles/${role?.id}`, boss, {
        method: 'PATCH',
        body: { ...change, version: body.version },
      });
      expect(refused.status).toBe(422);
    }
    const record = (await auditTrail(eq(auditRecords.action, 'role.updated'))).at(-1);
    expect(record).toMatchObject({
      before: { requires_second_factor: false },
      after: { requires_second_factor: true },
    });
  });
});
