import { and, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CurrentUser } from '@/domain/auth';
import type { AddedPasskey, PasskeyAnswer, PasskeyCreation, PasskeyRequest } from '@/domain/passkeys';
import type { Enrolment, PasskeyChallenge, RecoveryCodes, SecondFactorState } from '@/domain/second-factor';
import { hashPassword } from '@/server/access/sign-in/passwords';
import { decodeBase32, stepAt, totpCode } from '@/server/auth/one-time-codes';
import { db, sqlClient } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { passkeys } from '@/server/db/schema/sign-in';
import { clock } from '@/server/lib/clock';
import { mergeSetting } from '@/server/settings/queries/settings';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { callJson } from '@/test/request';
import { SoftAuthenticator } from './testing/authenticator.fixture';

type Headers = Record<string, string>;
type Problem = { reason?: string; detail?: string; errors?: { field: string }[] };
const PASSWORD = 'a long walk by the river';
const ORIGIN = 'https://fabric.example.org';
const MINUTE = 60;

let time: ReturnType<typeof fakeClock>;
beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
  await sqlClient()`update roles set requires_second_factor = false`;
  await setPublicUrl(ORIGIN);
  time = fakeClock();
});
afterEach(() => time.restore());

const setPublicUrl = (public_url: string | null) =>
  mergeSetting(db, 'notifications', { public_url }, '2026-01-01T00:00:00Z');

const person = async (role: Parameters<typeof makeUser>[0] = 'viewer') =>
  makeUser(role, undefined, { password_hash: await hashPassword(PASSWORD) });
type Person = Awaited<ReturnType<typeof person>>;
type Answer = Problem & {
  access_token?: string;
  user?: CurrentUser;
  second_factor?: { challenge_token: string; methods: string[] };
};
const login = (user: Person) =>
  callJson<Answer>('/auth/login', {}, { body: { email: user.email, password: PASSWORD } });
const withToken = (answer: Answer): Headers => ({ authorization: `Bearer ${answer.access_token}` });
const getState = async (headers: Headers) =>
  (await callJson<SecondFactorState>('/account/second-factor', headers)).body;
const listAudit = async (userId: string) =>
  (await auditTrail(and(eq(auditRecords.object_kind, 'user'), eq(auditRecords.object_id, userId))))
    .reverse()
    .map(({ action, after }) => ({ action, after }));

/** Creates a passkey with an authenticator of its own. */
async function add(headers: Headers, name: string, device = new SoftAuthenticator(ORIGIN)) {
  const { body: options } = await callJson<PasskeyCreation>('/account/passkeys/begin', headers, { body: {} });
  const body = { name, credential: device.create(options) };
  const added = await callJson<AddedPasskey & Problem>('/account/passkeys', headers, { body });
  return { device, ...added };
}
async function enroll(user: Person) {
  const headers = withToken((await login(user)).body);
  const added = await add(headers, 'Laptop');
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  return { headers, device: added.device, codes: added.body.recovery_codes, passkey: added.body.passkey };
}
const requestOptions = (challenge_token: string) =>
  callJson<PasskeyChallenge & Problem>('/auth/second-factor/passkey', {}, { body: { challenge_token } });
const submit = (challenge_token: string, passkey: PasskeyAnswer) =>
  callJson<Answer>('/auth/second-factor', {}, { body: { challenge_token, passkey } });
const submitCode = (challenge_token: string, code: string) =>
  callJson<Answer>('/auth/second-factor', {}, { body: { challenge_token, code } });

/** The first step, and options for the second. */
async function begin(user: Person) {
  const { body } = await login(user);
  const token = body.second_factor?.challenge_token ?? '';
  const { options } = (await requestOptions(token)).body;
  return { token, options, methods: body.second_factor?.methods };
}

describe('adding', () => {
  it('sets up the second factor with the first passkey, and adds others to it', async () => {
    const user = await person();
    const elsewhere = withToken((await login(user)).body);
    const { headers, codes } = await enroll(user);
    expect(codes).toHaveLength(10);
    expect((await callJson('/auth/me', elsewhere)).status).toBe(401);
    expect((await callJson('/auth/me', headers)).status).toBe(200);
    const second = await add(headers, 'Security key');
    expect([second.status, second.body.recovery_codes]).toEqual([201, []]);
    const sameName = await add(headers, 'security KEY');
    expect([sameName.status, sameName.body.errors?.[0]?.field]).toEqual([409, 'name']);
    expect((await add(headers, 'Again', second.device)).status).toBe(409);
    const state = await getState(headers);
    expect(state.passkeys.map(({ name, last_used_at }) => [name, last_used_at])).toEqual([
      ['Laptop', null],
      ['Security key', null],
    ]);
    expect(state).toMatchObject({ app_at: null, recovery_codes_left: 10, enrolled_at: state.passkeys[0]?.created_at });
    const admin = await bearer(await person('admin'));
    const listed = await callJson<{ items: { id: string }[] }>('/users?second_factor=true', admin);
    expect(listed.body.items.map(({ id }) => id)).toContain(user.id);
    const actions = (await listAudit(user.id)).filter(({ action }) => action !== 'auth.login');
    expect(actions).toEqual([
      { action: 'auth.passkey_added', after: { passkey: 'Security key' } },
      { action: 'auth.second_factor_set_up', after: { ended_sessions: 1 } },
      { action: 'auth.passkey_added', after: { passkey: 'Laptop' } },
    ]);
  });

  it('refuses answers for another challenge, origin or host, a second time and too late', async () => {
    const user = await person();
    const headers = withToken((await login(user)).body);
    const beginAdd = async () =>
      (await callJson<PasskeyCreation>('/account/passkeys/begin', headers, { body: {} })).body;
    const send = (credential: unknown) =>
      callJson<Problem>('/account/passkeys', headers, { body: { name: 'Phone', credential } });
    const device = new SoftAuthenticator(ORIGIN);
    for (const changes of [{ challenge: 'AAAA' }, { origin: 'https://fabric.example.com' }, { rpId: 'example.org' }]) {
      await sqlClient()`truncate rate_limits`;
      const options = await beginAdd();
      expect((await send(device.create(options, changes))).status).toBe(400);
      // Its challenge is used up, so that the right answer comes too late.
      expect((await send(device.create(options))).status).toBe(400);
    }
    await sqlClient()`truncate rate_limits`;
    const late = await beginAdd();
    time.advance(5 * MINUTE + 1);
    expect((await send(device.create(late))).status).toBe(400);
    const elsewhere = withToken((await login(user)).body);
    const options = await beginAdd();
    const body = { name: 'Phone', credential: device.create(options) };
    expect((await callJson('/account/passkeys', elsewhere, { body })).status).toBe(400);
    expect((await send(device.create(options))).status).toBe(201);
  });

  it('needs a host name and HTTPS, and a fresh sign-in or the password', async () => {
    const user = await person();
    const headers = withToken((await login(user)).body);
    const start = (body: object = {}) => callJson<Problem>('/account/passkeys/begin', headers, { body });
    for (const [url, reason] of [
      [null, 'no_public_url'],
      ['http://fabric.example.org', 'not_https'],
      ['https://192.0.2.7', 'ip_address'],
      ['http://[::1]:3000', 'ip_address'],
    ] as const) {
      await setPublicUrl(url);
      const { status, body } = await start();
      expect([status, body.reason]).toEqual([422, reason]);
      expect((await getState(headers)).passkey_site.problem).toBe(reason);
    }
    await setPublicUrl('http://localhost:3000');
    expect((await start()).status).toBe(200);
    time.advance(11 * MINUTE);
    expect((await start()).body.errors?.[0]?.field).toBe('current_password');
    expect((await start({ current_password: PASSWORD })).status).toBe(200);
  });
});

describe('signing in', () => {
  it('takes a passkey, each challenge once', async () => {
    const user = await person();
    const { device, headers } = await enroll(user);
    const { token, options, methods } = await begin(user);
    expect(methods).toEqual(['passkey', 'recovery_code']);
    const answer = device.answer(options);
    const done = await submit(token, answer);
    expect(done.status, JSON.stringify(done.body)).toBe(200);
    expect((await callJson('/auth/me', withToken(done.body))).status).toBe(200);
    expect((await submit(token, answer)).body.reason).toBe('challenge_over');
    expect((await getState(headers)).passkeys[0]?.last_used_at).toBe(clock.now().toISOString());
    const record = (await listAudit(user.id)).find(({ action }) => action === 'auth.login');
    expect(record?.after).toEqual({ method: 'password', second_factor: 'passkey' });
    // The answer belongs to one sign-in and its newest challenge.
    const other = await begin(user);
    expect((await submit(other.token, answer)).body.reason).toBe('wrong_passkey');
    expect((await submit(other.token, device.answer(other.options))).body.reason).toBe('wrong_passkey');
    const renewed = (await requestOptions(other.token)).body.options;
    expect((await submit(other.token, device.answer(renewed))).status).toBe(200);
  });

  it('refuses a counter that goes back, wrong sites and passkeys of others, and counts them as attempts', async () => {
    const user = await person();
    const { device } = await enroll(user);
    const stranger = (await enroll(await person())).device;
    const attempt = async (use: (options: PasskeyRequest) => PasskeyAnswer) => {
      const { token, options } = await begin(user);
      return submit(token, use(options));
    };
    expect((await attempt((options) => device.answer(options, { counter: 7 }))).status).toBe(200);
    for (const counter of [7, 6, 0]) {
      expect((await attempt((options) => device.answer(options, { counter }))).body.reason).toBe('passkey_counter');
    }
    device.counter = 100;
    expect((await attempt((options) => device.answer(options, { origin: 'https://evil.example' }))).status).toBe(401);
    expect((await attempt((options) => stranger.answer(options))).body.reason).toBe('wrong_passkey');
    expect((await login(user)).status).toBe(429);
    const reasons = (await listAudit(user.id)).map(({ after }) => (after as Problem | null)?.reason);
    expect(reasons.filter((reason) => reason === 'passkey_counter')).toHaveLength(3);
    time.advance(31);
    expect((await attempt((options) => device.answer(options))).status).toBe(200);
  });

  it('lets in only one of two concurrent answers with the same counter', async () => {
    const user = await person();
    const { device } = await enroll(user);
    const [a, b] = [await begin(user), await begin(user)];
    const answers = [a, b].map(({ options }) => device.answer(options, { counter: 5 }));
    const sent = [a, b].map(({ token }, index) => submit(token, answers[index] as PasskeyAnswer));
    expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('takes the app or a recovery code instead, also when the public URL has changed', async () => {
    const user = await person();
    const { headers, codes } = await enroll(user);
    const begun = await callJson<Enrolment>('/account/second-factor/begin', headers, { body: {} });
    const code = () => totpCode(decodeBase32(begun.body.secret), stepAt(clock.now()));
    const app = await callJson<RecoveryCodes>('/account/second-factor/confirm', headers, { body: { code: code() } });
    expect([app.status, app.body.recovery_codes]).toEqual([200, []]);
    time.advance(30);
    const { token, methods } = await begin(user);
    expect(methods).toEqual(['passkey', 'totp', 'recovery_code']);
    expect((await submitCode(token, code())).status).toBe(200);
    await setPublicUrl('https://other.example.org');
    const moved = (await login(user)).body.second_factor;
    expect(moved?.methods).toEqual(['totp', 'recovery_code']);
    expect((await requestOptions(moved?.challenge_token ?? '')).status).toBe(422);
    expect((await submitCode(moved?.challenge_token ?? '', codes[0] ?? '')).status).toBe(200);
  });
});

describe('changing', () => {
  it('renames, and removes the last passkey as it removes the last app', async () => {
    const user = await person();
    const { headers, passkey } = await enroll(user);
    const second = (await add(headers, 'Phone')).body.passkey;
    const rename = (id: string, name: string, by = headers) =>
      callJson<Problem>(`/account/passkeys/${id}`, by, { method: 'PATCH', body: { name } });
    expect((await rename(passkey.id, 'Phone')).status).toBe(409);
    expect((await rename(passkey.id, 'Work laptop')).status).toBe(200);
    const stranger = await bearer(await person());
    expect((await rename(passkey.id, 'Mine', stranger)).status).toBe(404);
    const remove = (id: string, body: object = { current_password: PASSWORD }, by = headers) =>
      callJson<Problem>(`/account/passkeys/${id}/remove`, by, { body });
    expect((await remove(passkey.id, {}, stranger)).status).toBe(404);
    expect((await remove(passkey.id, {})).body.errors?.[0]?.field).toBe('current_password');
    expect((await remove(passkey.id)).status).toBe(204);
    expect((await getState(headers)).recovery_codes_left).toBe(10);
    await sqlClient()`update roles set requires_second_factor = true where name = 'viewer'`;
    expect((await remove(second.id)).status).toBe(422);
    await sqlClient()`update roles set requires_second_factor = false`;
    expect((await remove(second.id)).status).toBe(204);
    expect(await getState(headers)).toMatchObject({ enrolled_at: null, recovery_codes_left: 0, passkeys: [] });
    expect((await login(user)).body.access_token).toBeDefined();
    const actions = (await listAudit(user.id)).map(({ action }) => action).slice(1, 5);
    expect(actions).toEqual([
      'auth.second_factor_removed',
      'auth.passkey_removed',
      'auth.passkey_removed',
      'auth.passkey_renamed',
    ]);
  });

  it('takes a passkey as proof where the account has no password, once', async () => {
    const user = await person();
    const { headers, device } = await enroll(user);
    await sqlClient()`update users set password_hash = null where id = ${user.id}`;
    const renew = (passkey: PasskeyAnswer) =>
      callJson<Problem>('/account/second-factor/recovery-codes', headers, { body: { passkey } });
    const { body: options } = await callJson<PasskeyRequest>('/account/passkeys/proof', headers, { method: 'POST' });
    const answer = device.answer(options);
    expect((await renew(answer)).status).toBe(200);
    expect((await renew(answer)).body.errors?.[0]?.field).toBe('passkey');
  });

  it('loses all passkeys to a reset by an administrator, and stays required', async () => {
    const user = await person();
    const { headers } = await enroll(user);
    await sqlClient()`update roles set requires_second_factor = true where name = 'viewer'`;
    const admin = await bearer(await person('admin'));
    const reset = await callJson(`/users/${user.id}/second-factor`, admin, { method: 'DELETE' });
    expect(reset.status).toBe(200);
    expect(await db.$count(passkeys, eq(passkeys.user_id, user.id))).toBe(0);
    expect((await callJson('/auth/me', headers)).status).toBe(401);
    const again = await login(user);
    expect(again.body.user).toMatchObject({ must_enrol: true, permissions: [] });
    // Who still has to set up a second factor may add a passkey, and then do everything.
    const enrolling = withToken(again.body);
    expect((await add(enrolling, 'New phone')).status).toBe(201);
    expect((await callJson<CurrentUser>('/auth/me', enrolling)).body).toMatchObject({ must_enrol: false });
  });
});
