import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeClock } from '@/test/fake-clock';
import { deriveKey } from '../lib/crypto';
import { signToken, verifyToken } from './session-tokens';

const claims = { sub: '01890a5d-ac96-774b-bcce-b302099a8057', sid: '01890a5d-ac96-774b-bcce-b302099a8058' };
let clock: ReturnType<typeof fakeClock> | undefined;
afterEach(() => clock?.restore());

describe('session tokens', () => {
  it('keep their claims and accept no other type', async () => {
    for (const typ of ['access', 'refresh'] as const) {
      const token = await signToken({ ...claims, typ });
      expect(await verifyToken(token, typ)).toEqual({ ...claims, typ });
      expect(await verifyToken(token, typ === 'access' ? 'refresh' : 'access')).toBeNull();
    }
  });

  it('differ even within one second', async () => {
    clock = fakeClock();
    expect(await signToken({ ...claims, typ: 'refresh' })).not.toBe(await signToken({ ...claims, typ: 'refresh' }));
  });

  it('end to the second', async () => {
    clock = fakeClock(new Date('2026-01-01T00:00:00Z'));
    const token = await signToken({ ...claims, typ: 'access' });
    clock.advance(899);
    expect(await verifyToken(token, 'access')).not.toBeNull();
    clock.advance(1);
    expect(await verifyToken(token, 'access')).toBeNull();
  });

  it('cannot be forged: other algorithm, other key, other header, changed payload', async () => {
    const token = await signToken({ ...claims, typ: 'access' });
    const [header = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const decoded = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const key = deriveKey('session-tokens');
    const plain = (typ: string, body: object) =>
      new SignJWT({ ...body }).setProtectedHeader({ alg: 'HS256', typ }).setIssuer('fabric').setExpirationTime('1h');
    const hs512 = encode({ alg: 'HS512', typ: 'at+jwt' });
    const forged = [
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
      `${header}.${encode({ ...decoded, sub: claims.sid })}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      `${hs512}.${payload}.${createHmac('sha512', key).update(`${hs512}.${payload}`).digest('base64url')}`,
      await plain('at+jwt', { ...claims, typ: 'access' }).sign(deriveKey('another purpose')),
      await plain('JWT', { ...claims, typ: 'access' }).sign(key),
      await plain('at+jwt', { ...claims, typ: 'refresh' }).sign(key),
      await plain('at+jwt', { sub: 'admin', sid: claims.sid, typ: 'access' }).sign(key),
      '',
      'a.b.c',
      '..',
    ];
    for (const each of forged) expect(await verifyToken(each, 'access'), each).toBeNull();
    expect(await verifyToken(await plain('at+jwt', { ...claims, typ: 'access' }).sign(key), 'access')).not.toBeNull();
  });
});
