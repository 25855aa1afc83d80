import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as passwords from '@/server/access/sign-in/passwords';
import { sqlClient } from '@/server/db/client';
import { auditTrail } from '@/test/audit-trail';
import { makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';

// Hundreds of sign-ins: what is tested here is who may try, so checking a password costs nothing.
vi.spyOn(passwords, 'verifyPassword').mockImplementation(async (stored, password) => stored === password);
vi.spyOn(passwords, 'isOutdatedHash').mockReturnValue(false);

const PASSWORD = 'correct horse, battery';

let clock: ReturnType<typeof fakeClock>;
let user: Awaited<ReturnType<typeof makeUser>>;
beforeEach(async () => {
  await sqlClient()`truncate rate_limits`;
  clock = fakeClock();
  user = await makeUser('viewer', undefined, { password_hash: PASSWORD });
});
afterEach(() => clock.restore());

const login = (email: string, password = PASSWORD, { from = '192.0.2.1' } = {}) =>
  call('/auth/login', { body: { email, password }, from });
const actions = async (since = 0) => (await auditTrail()).slice(since).map((r) => r.action);

describe('lockout', () => {
  it('ends when a clock that was ahead is put back', async () => {
    clock.advance(30 * 86_400);
    for (let i = 0; i < 6; i += 1) await login(user.email, 'wrong');
    expect((await login(user.email)).status).toBe(429);
    clock.advance(-30 * 86_400);
    for (let i = 0; i < 5; i += 1) expect((await login(user.email, 'wrong')).status).toBe(401);
    expect((await login(user.email)).headers.get('retry-after')).toBe('30');
    clock.advance(30);
    expect((await login(user.email)).status).toBe(200);
  });

  it('starts after five failures, doubles, holds for the right password too, and ends', async () => {
    for (let i = 0; i < 5; i += 1) expect((await login(user.email, 'wrong')).status).toBe(401);
    const locked = await login(user.email);
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '30']);
    expect((await locked.json()).code).toBe('too_many_requests');
    clock.advance(29);
    expect((await login(user.email)).headers.get('retry-after')).toBe('1');
    clock.advance(1);
    expect((await login(user.email, 'wrong')).status).toBe(401);
    expect((await login(user.email)).headers.get('retry-after')).toBe('60');
    clock.advance(60);
    expect((await login(user.email)).status).toBe(200);
    // The success wiped the slate.
    for (let i = 0; i < 4; i += 1) await login(user.email, 'wrong');
    expect((await login(user.email)).status).toBe(200);
  });

  it('never waits longer than fifteen minutes', async () => {
    for (let i = 0; i < 14; i += 1) {
      const wait = Number((await login(user.email, 'wrong')).headers.get('retry-after') ?? '0');
      expect(wait).toBeLessThanOrEqual(900);
      clock.advance(wait);
    }
    await login(user.email, 'wrong');
    expect((await login(user.email)).headers.get('retry-after')).toBe('900');
  });

  it('forgets after an hour', async () => {
    for (let i = 0; i < 4; i += 1) await login(user.email, 'wrong');
    clock.advance(3601);
    await login(user.email, 'wrong');
    expect((await login(user.email)).status).toBe(200);
  });

  it('does not lock the owner out at another address, unless very many guess', async () => {
    for (let i = 0; i < 6; i += 1) await login(user.email, 'wrong', { from: '203.0.113.66' });
    expect((await login(user.email, PASSWORD, { from: '203.0.113.66' })).status).toBe(429);
    expect((await login(user.email)).status).toBe(200);
    for (let i = 0; i < 50; i += 1) await login(user.email, 'wrong', { from: `198.51.100.${i}` });
    expect((await login(user.email)).status).toBe(429);
  });

  it('works for accounts that do not exist just the same', async () => {
    for (let i = 0; i < 5; i += 1) await login('ghost@example.org', 'wrong');
    expect((await login('ghost@example.org', 'wrong')).headers.get('retry-after')).toBe('30');
  });

  it('slows one address that tries many accounts, an IPv6 customer as a whole, and locks out no user', async () => {
    const from = '2001:db8:1:2:ffff::1';
    const spray = async (count: number, name: string) => {
      const statuses: number[] = [];
      for (let i = 0; i < count; i += 1) {
        const { status } = await login(`${name}${i}@example.org`, 'wrong', { from: `2001:db8:1:2::${i + 1}` });
        statuses.push(status);
      }
      return statuses;
    };
    expect(new Set(await spray(60, 'a'))).toEqual(new Set([401]));
    // A user new to this address still has the attempts that unknown users share.
    expect((await login(user.email, PASSWORD, { from })).status).toBe(200);
    expect((await spray(30, 'b')).filter((status) => status === 401)).toHaveLength(9);
    const stranger = await makeUser('viewer', undefined, { password_hash: PASSWORD });
    expect((await login(stranger.email, PASSWORD, { from })).headers.get('retry-after')).toBe('120');
    expect((await login(stranger.email, PASSWORD, { from: '2001:db8:1:3::1' })).status).toBe(200);
    // A user who recently signed in from here gets in, however many others fail.
    expect((await login(user.email, PASSWORD, { from })).status).toBe(200);
    clock.advance(120);
    expect((await login(stranger.email, PASSWORD, { from })).status).toBe(200);
  });

  it('does not tell at a busy address which accounts are known there', async () => {
    expect((await login(user.email)).status).toBe(200);
    for (let i = 0; i < 70; i += 1) await login(`c${i}@example.org`, 'wrong');
    const found = async (email: string) => {
      const response = await login(email, 'wrong');
      const { status, code, detail } = await response.json();
      return { status, code, detail, wait: response.headers.get('retry-after') };
    };
    expect(await found(user.email)).toEqual(await found('ghost@example.org'));
    expect((await found(user.email)).status).toBe(429);
  });

  it('lets signed-in users change their own password at an address with many failures', async () => {
    const signedIn = await (await login(user.email)).json();
    for (let i = 0; i < 75; i += 1) await login(`d${i}@example.org`, 'wrong');
    const change = await call('/account/password', {
      headers: { authorization: `Bearer ${signedIn.access_token}` },
      body: { current_password: 'wrong', new_password: 'quite another password' },
      from: '192.0.2.1',
    });
    expect(change.status).toBe(400);
  });

  it('gives sixty simultaneous guesses no more chances than five', async () => {
    const guesses = Array.from({ length: 60 }, (_, i) => login(user.email, i === 59 ? PASSWORD : `wrong${i}`));
    expect((await Promise.all(guesses)).some((a) => a.status === 200)).toBe(false);
  });
});

describe('audit of failed sign-ins', () => {
  it('stops at twenty records per source and a hundred in total in ten minutes', async () => {
    const before = (await actions()).length;
    for (let i = 0; i < 30; i += 1) await login(`flood${i}@example.org`, 'x', { from: '203.0.113.1' });
    expect((await actions(before)).length).toBe(20);
    for (let i = 0; i < 100; i += 1) await login(`flood${i}@example.org`, 'x', { from: `198.51.100.${i}` });
    expect((await actions(before)).length).toBe(100);
    clock.advance(600);
    await login('flood@example.org', 'x');
    expect((await actions(before)).length).toBe(101);
  });
});
