import { eq } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashPassword, PASSWORD_COST } from '@/server/access/sign-in/passwords';
import { signToken } from '@/server/auth/session-tokens';
import { db, sqlClient } from '@/server/db/client';
import { users } from '@/server/db/schema/access';
import { refreshTokens } from '@/server/db/schema/sign-in';
import { env } from '@/server/lib/env';
import { newId } from '@/server/lib/ids';
import { auditTrail } from '@/test/audit-trail';
import { grantRole, makeTenant, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { startFreshProcess } from '@/test/fresh-process';
import { overrideConstant } from '@/test/override-constant';
import { call } from '@/test/request';
import { actions, hash, login, me, PASSWORD, refresh } from './sign-in.fixture';

let clock: ReturnType<typeof fakeClock>;
let user: Awaited<ReturnType<typeof makeUser>>;
beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
  clock = fakeClock();
  user = await makeUser('viewer', undefined, { password_hash: await hash });
});
afterEach(() => clock.restore());

describe('with passwords at the cost of a real installation', () => {
  beforeAll(async () => {
    const undo = overrideConstant(PASSWORD_COST, { memoryCost: 65_536, timeCost: 3 });
    // The hash that nothing matches is made again.
    await startFreshProcess();
    return undo;
  });

  it('spends as much work on an unknown account as on a wrong password', async () => {
    const { email } = await makeUser('viewer', undefined, { password_hash: await hashPassword(PASSWORD) });
    // Each from a source of its own: after a wrong password a source rests.
    let source = 0;
    const timed = async (name: string) => {
      source += 1;
      const before = process.cpuUsage();
      await login(name, 'wrong', { from: `198.51.100.${source}` });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    // Time of the processor, which other programs hardly change; the least of each is that of the work itself.
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const differ = () => Math.abs(Math.log(unknown / known)) >= Math.log(1.6);
    // Five rounds, and more on a busy machine: they come together unless the code itself works more.
    for (let i = 0; i < 5 || (i < 20 && differ()); i += 1) {
      known = Math.min(known, await timed(email));
      unknown = Math.min(unknown, await timed(`${newId()}@example.org`));
    }
    expect(differ(), `${unknown} ms for an unknown account, ${known} ms for a wrong password`).toBe(false);
  });

  it('renews a hash made with lower costs', async () => {
    const { hash: cheap } = await import('@node-rs/argon2');
    await db
      .update(users)
      .set({ password_hash: await cheap(PASSWORD, { memoryCost: 4096, timeCost: 1, parallelism: 1 }) })
      .where(eq(users.id, user.id));
    expect((await login(user.email)).status).toBe(200);
    const [row] = await db.select().from(users).where(eq(users.id, user.id));
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
    expect(row?.last_login_at).not.toBeNull();
    expect((await login(user.email)).status).toBe(200);
  });
});

describe('a sign-in that is used every day', () => {
  it('ends after the days that are set, also when its first tokens are gone', async () => {
    env().FABRIC_SESSION_DAYS = 20;
    let tokens = await (await login(user.email)).json();
    for (let day = 1; day < 20; day += 1) {
      clock.advance(86_400);
      const answer = await refresh(tokens.refresh_token);
      expect(answer.status, `day ${day}`).toBe(200);
      tokens = await answer.json();
      // As the pruning of expired tokens does.
      await sqlClient()`delete from refresh_tokens where user_id = ${user.id} and rotated_at is not null`;
    }
    const mine = await call('/account/sessions', { headers: { authorization: `Bearer ${tokens.access_token}` } });
    const [session] = (await mine.json()).items;
    expect(Date.parse(session.expires_at) - Date.parse(session.signed_in_at)).toBe(20 * 86_400_000);
    clock.advance(86_399);
    const last = await refresh(tokens.refresh_token);
    expect(last.status).toBe(200);
    tokens = await last.json();
    expect((await me(tokens.access_token)).status).toBe(200);
    clock.advance(1);
    expect((await me(tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).status).toBe(401);
    env().FABRIC_SESSION_DAYS = 30;
  });
});

describe('login', () => {
  it('takes the email in any case and with blanks, and answers with tokens and the user', async () => {
    const tenant = await makeTenant({ name: 'Acme' });
    await grantRole(user, 'security_engineer', tenant);
    const response = await login(`  ${user.email.toUpperCase()} `);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = await response.json();
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, user: { id: user.id, email: user.email } });
    expect(body.user.permissions).toEqual(expect.arrayContaining(['cluster:read', 'policy:write']));
    expect(body.user.permissions).not.toContain('cluster:write');
    expect(body.user.all_tenants).toBe(true);
    expect(body.user.tenants).toContainEqual({ id: tenant.id, name: 'Acme' });
    const seen = await me(body.access_token);
    expect(await seen.json()).toEqual(body.user);
  });

  it('gives a tenant-scoped user only the permissions that mean something in a tenant', async () => {
    const tenant = await makeTenant({ name: 'Umbrella' });
    const tenantUser = await makeUser('super_admin', tenant, { password_hash: await hash });
    const { user: described } = await (await login(tenantUser.email)).json();
    expect(described.permissions).toContain('policy:apply');
    expect(described.permissions).not.toContain('*');
    expect(described.permissions).not.toContain('cluster:read');
    expect(described).toMatchObject({ all_tenants: false, tenants: [{ id: tenant.id, name: 'Umbrella' }] });
  });

  it('ends the sign-in that the same browser held, when the new one succeeds and no other', async () => {
    const first = await (await login(user.email)).json();
    const other = await (await login(user.email)).json();
    const cookie = `fabric_refresh=${first.refresh_token}`;
    const site = { cookie, 'sec-fetch-site': 'same-origin' };
    expect((await login(user.email, 'wrong', { headers: site })).status).toBe(401);
    expect((await me(first.access_token)).status).toBe(200);
    // A page of a sibling site must not be able to sign a user out.
    await login(user.email, PASSWORD, { headers: { cookie, 'sec-fetch-site': 'same-site' } });
    expect((await me(first.access_token)).status).toBe(200);
    const next = await (await login(user.email, PASSWORD, { headers: site })).json();
    expect((await me(first.access_token)).status).toBe(401);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    for (const { access_token } of [other, next]) expect((await me(access_token)).status).toBe(200);
    expect((await actions()).slice(-2)).toEqual(['auth.login', 'auth.logout']);
  });

  it('stores no token in clear text', async () => {
    const { refresh_token } = await (await login(user.email)).json();
    const rows = await db.select().from(refreshTokens).where(eq(refreshTokens.user_id, user.id));
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(refresh_token);
  });

  it('gives one answer to an unknown account, a wrong password and a deactivated account', async () => {
    const inactive = await makeUser('viewer', undefined, { password_hash: await hash, active: false });
    const problems = [];
    for (const [email, password] of [
      ['nobody@example.org', PASSWORD],
      [user.email, 'wrong'],
      [inactive.email, PASSWORD],
      ['not an email at all', 'x'],
    ] as const) {
      const response = await login(email, password);
      const { request_id: _, ...problem } = await response.json();
      problems.push([response.status, problem]);
    }
    expect(problems[0]?.[0]).toBe(401);
    expect(new Set(problems.map((p) => JSON.stringify(p))).size).toBe(1);
  });

  it('lets twenty users sign in concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(user.email)));
    expect(new Set(answers.map((a) => a.status))).toEqual(new Set([200]));
  });

  it('treats the two ways to write a letter as one password', async () => {
    const composed = await makeUser('viewer', undefined, {
      password_hash: await hashPassword('caf\u00e9 au lait, s.v.p.'),
    });
    expect((await login(composed.email, 'cafe\u0301 au lait, s.v.p.')).status).toBe(200);
  });
});

describe('audit of sign-in', () => {
  it('records who signed in, who failed and why, and never a password or an unknown name', async () => {
    const before = (await actions()).length;
    await login(user.email);
    await login(user.email, 'wrong password typed');
    await login('my-secret-password', 'x');
    const records = (await auditTrail()).slice(before);
    expect(records.map((r) => [r.action, r.actor_name, r.object_name, r.after])).toEqual([
      ['auth.login', user.email, user.email, { method: 'password', second_factor: null }],
      ['auth.login_failed', 'anonymous', user.email, { reason: 'wrong_password', locked_seconds: 0 }],
      ['auth.login_failed', 'anonymous', null, { reason: 'unknown_user', locked_seconds: 0 }],
    ]);
    expect(records.every((r) => r.source_address === '192.0.2.1')).toBe(true);
    expect(JSON.stringify(records)).not.toMatch(/typed|my-secret/);
  });
});

describe('refresh', () => {
  it('rotates: new tokens work, the old refresh token does not', async () => {
    const first = await (await login(user.email)).json();
    clock.advance(60);
    const response = await refresh(first.refresh_token);
    expect(response.status).toBe(200);
    const second = await response.json();
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second).toMatchObject({ token_type: 'Bearer', expires_in: 900, user: { id: user.id } });
    expect((await me(second.access_token)).status).toBe(200);
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  it('revokes the whole sign-in when a rotated token comes again later, and says so once in the trail', async () => {
    const first = await (await login(user.email)).json();
    const second = await (await refresh(first.refresh_token)).json();
    const before = (await actions()).length;
    clock.advance(11);
    const refusal = async (token: string) => {
      const response = await refresh(token);
      return [response.status, (await response.json()).reason];
    };
    // Both sides learn why: the user must know that someone has a token.
    expect(await refusal(first.refresh_token)).toEqual([401, 'reused']);
    expect(await refusal(second.refresh_token)).toEqual([401, 'reused']);
    expect((await me(second.access_token)).status).toBe(401);
    expect(await refusal(first.refresh_token)).toEqual([401, 'reused']);
    expect(await actions(before)).toEqual(['auth.refresh_reused']);
  });

  it('revokes immediately when the second use comes from another address', async () => {
    const first = await (await login(user.email)).json();
    const second = await (await refresh(first.refresh_token)).json();
    expect((await refresh(first.refresh_token, { from: '203.0.113.9' })).status).toBe(401);
    expect((await me(second.access_token)).status).toBe(401);
  });

  it('forgives a race of the same browser: refused, but the sign-in lives on', async () => {
    const first = await (await login(user.email)).json();
    const second = await (await refresh(first.refresh_token)).json();
    clock.advance(10);
    const late = await refresh(first.refresh_token);
    expect([late.status, (await late.json()).reason]).toEqual([401, 'already_rotated']);
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  it('lets one of fifty simultaneous refreshes win and keeps its sign-in', async () => {
    const { refresh_token } = await (await login(user.email)).json();
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(refresh_token)));
    const winners = answers.filter((a) => a.status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter((a) => a.status === 401)).toHaveLength(49);
    const won = await winners[0]?.json();
    expect((await me(won.access_token)).status).toBe(200);
    expect((await refresh(won.refresh_token)).status).toBe(200);
  });

  it('refuses access tokens, forged tokens and those of deactivated users', async () => {
    const session = await (await login(user.email)).json();
    expect((await refresh(session.access_token)).status).toBe(401);
    expect((await refresh(`${session.refresh_token.slice(0, -2)}xx`)).status).toBe(401);
    expect((await refresh(await signToken({ sub: user.id, sid: user.id, typ: 'refresh' }))).status).toBe(401);
    expect((await me(session.refresh_token)).status).toBe(401);
    await db.update(users).set({ active: false }).where(eq(users.id, user.id));
    expect((await me(session.access_token)).status).toBe(401);
    expect((await refresh(session.refresh_token)).status).toBe(401);
    await db.update(users).set({ active: true }).where(eq(users.id, user.id));
    // The attempt while deactivated ended the sign-in.
    expect((await me(session.access_token)).status).toBe(401);
  });

  it('ends access after fifteen minutes and refresh after fourteen days', async () => {
    const session = await (await login(user.email)).json();
    clock.advance(899);
    expect((await me(session.access_token)).status).toBe(200);
    clock.advance(1);
    expect((await me(session.access_token)).status).toBe(401);
    clock.advance(14 * 86_400 - 901);
    const second = await (await refresh(session.refresh_token)).json();
    clock.advance(14 * 86_400);
    expect((await refresh(second.refresh_token)).status).toBe(401);
  });

  it('shows changed permissions at the next request, without a new token', async () => {
    const { access_token } = await (await login(user.email)).json();
    const settings = () => call('/settings', { headers: { authorization: `Bearer ${access_token}` } });
    expect((await settings()).status).toBe(403);
    await grantRole(user, 'auditor');
    expect((await settings()).status).toBe(200);
  });
});

describe('logout', () => {
  it.each(['access token', 'refresh token', 'cookie'])('ends the sign-in by %s', async (how) => {
    const response = await login(user.email);
    const session = await response.json();
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const before = (await actions()).length;
    const out = await call('/auth/logout', {
      method: 'POST',
      ...(how === 'access token' && { headers: { authorization: `Bearer ${session.access_token}` } }),
      ...(how === 'refresh token' && { body: { refresh_token: session.refresh_token } }),
      ...(how === 'cookie' && { headers: { cookie } }),
    });
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toMatch(/^fabric_refresh=; .*Max-Age=0/);
    expect((await me(session.access_token)).status).toBe(401);
    expect((await refresh(session.refresh_token)).status).toBe(401);
    expect(await actions(before)).toEqual(['auth.logout']);
  });

  it('leaves other sign-ins of the user alone and needs no valid token', async () => {
    const here = await (await login(user.email)).json();
    const there = await (await login(user.email)).json();
    await call('/auth/logout', { body: { refresh_token: here.refresh_token } });
    expect((await me(there.access_token)).status).toBe(200);
    const refused = await call('/auth/logout', { method: 'POST', headers: { authorization: 'Bearer nonsense' } });
    expect(refused.status).toBe(204);
  });

  it('never loses against a refresh at the same time', async () => {
    for (let i = 0; i < 5; i += 1) {
      const session = await (await login(user.email)).json();
      const [renewed] = await Promise.all([
        refresh(session.refresh_token),
        call('/auth/logout', { body: { refresh_token: session.refresh_token } }),
      ]);
      const tokens = renewed.status === 200 ? await renewed.json() : session;
      expect((await me(tokens.access_token)).status).toBe(401);
    }
  });
});
