import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { hash, login, me, PASSWORD, refresh } from './sign-in.fixture';

let clock: ReturnType<typeof fakeClock>;
let user: Awaited<ReturnType<typeof makeUser>>;
beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
  clock = fakeClock();
  user = await makeUser('viewer', undefined, { password_hash: await hash });
});
afterEach(() => clock.restore());

describe('the browser’s cookie', () => {
  const getSetCookie = (response: Response) => response.headers.get('set-cookie') ?? '';
  const getCookiePair = (response: Response) => getSetCookie(response).split(';')[0] ?? '';

  it('has HttpOnly, SameSite=Strict, the path of the authentication routes, and Secure behind HTTPS', async () => {
    const plain = getSetCookie(await login(user.email));
    expect(plain).toMatch(/^fabric_refresh=[^;]+; Path=\/api\/v1\/auth; Max-Age=1209600; HttpOnly; SameSite=Strict$/);
    const https = getSetCookie(await login(user.email, PASSWORD, { headers: { 'x-fabric-proto': 'https' } }));
    expect(https).toMatch(/^__Host-fabric_refresh=[^;]+; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Strict; Secure$/);
  });

  it('takes the name without prefix over TLS until it is replaced, and prefers the one with it', async () => {
    const secure = { 'x-fabric-proto': 'https', 'sec-fetch-site': 'same-origin' };
    const ask = (cookie: string, headers: Record<string, string> = secure) =>
      call('/auth/refresh', { method: 'POST', headers: { ...headers, cookie }, from: '192.0.2.1' });
    const old = getCookiePair(await login(user.email));
    const replaced = await ask(old);
    expect(replaced.status).toBe(200);
    const next = getCookiePair(replaced);
    expect(next).toMatch(/^__Host-fabric_refresh=/);
    // A sibling site can plant the old name, never the new one.
    const other = await makeUser('viewer', undefined, { password_hash: await hash });
    const planted = getCookiePair(await login(other.email));
    const mine = await ask(`${planted}; ${next}`);
    expect((await mine.json()).user.id).toBe(user.id);
    expect((await ask(getCookiePair(mine), { 'sec-fetch-site': 'same-origin' })).status).toBe(401);
  });

  it('refreshes without a body and hides the refresh token from scripts', async () => {
    const cookie = getCookiePair(await login(user.email));
    const response = await call('/auth/refresh', {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).not.toHaveProperty('refresh_token');
    expect(getCookiePair(response)).not.toBe(cookie);
  });

  it.each([
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling domain', { 'sec-fetch-site': 'same-site' }, 403],
    ['another origin, from a browser without fetch metadata', { origin: 'https://evil.example' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['our own page', { origin: 'http://fabric.test', host: 'fabric.test' }, 200],
    [
      'our own page behind a proxy',
      { origin: 'https://fabric.example.org', 'x-fabric-host': 'fabric.example.org' },
      200,
    ],
  ])('gets the expected response for %s', async (_name, headers, status) => {
    const cookie = getCookiePair(await login(user.email));
    const response = await call('/auth/refresh', {
      method: 'POST',
      from: '192.0.2.1',
      headers: { cookie, ...(headers as Record<string, string>) },
    });
    expect(response.status).toBe(status);
    if (status === 403)
      expect(
        (await call('/auth/logout', { method: 'POST', headers: { cookie, ...(headers as Record<string, string>) } }))
          .status,
      ).toBe(403);
  });

  it('goes when its token is refused, and stays for a token that another tab has just exchanged', async () => {
    const cookie = getCookiePair(await login(user.email));
    const ask = (given: string) =>
      call('/auth/refresh', {
        method: 'POST',
        from: '192.0.2.1',
        headers: { cookie: given, 'sec-fetch-site': 'same-origin' },
      });
    const next = getCookiePair(await ask(cookie));
    const raced = await ask(cookie);
    expect([raced.status, (await raced.json()).reason]).toEqual([401, 'already_rotated']);
    expect(getSetCookie(raced)).toBe('');
    await call('/auth/logout', { method: 'POST', headers: { cookie: next } });
    for (const worthless of [next, 'fabric_refresh=nonsense']) {
      const refused = await ask(worthless);
      expect(refused.status).toBe(401);
      expect(getSetCookie(refused)).toMatch(
        /^fabric_refresh=; Path=\/api\/v1\/auth; Max-Age=0; HttpOnly; SameSite=Strict$/,
      );
    }
    // Of a body nothing is known about the cookie.
    expect(getSetCookie(await refresh('nonsense'))).toBe('');
  });

  it('goes when its own sign-in is ended from the account, not with another one', async () => {
    const [here, there] = [await (await login(user.email)).json(), await (await login(user.email)).json()];
    const headers = { authorization: `Bearer ${here.access_token}` };
    const { items } = await (await call('/account/sessions', { headers })).json();
    const end = (current: boolean) => {
      const { id } = items.find((item: { current: boolean }) => item.current === current);
      return call(`/account/sessions/${id}`, { method: 'DELETE', headers });
    };
    const other = await end(false);
    expect([other.status, getSetCookie(other), (await me(there.access_token)).status]).toEqual([204, '', 401]);
    const own = await end(true);
    expect([own.status, getSetCookie(own)]).toEqual([204, expect.stringMatching(/^fabric_refresh=; .*Max-Age=0/)]);
  });

  it('counts as none when there are two of the name', async () => {
    const cookie = getCookiePair(await login(user.email));
    const response = await call('/auth/refresh', {
      method: 'POST',
      headers: { cookie: `${cookie}; fabric_refresh=x` },
    });
    expect(response.status).toBe(401);
  });
});
