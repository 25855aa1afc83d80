import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeClock } from '@/test/fake-clock';
import * as crypto from '../lib/crypto';
import { deriveKey } from '../lib/crypto';
import { signToken, verifyToken } from './session-tokens';

const claims = { sub: '01890a5d-ac96-774b-bcce-b302099a8057', sid: '01890a5d-ac96-774b-bcce-b302099a8058' };
let clock: ReturnType<typeof fakeClock> | undefined;
afterEach(() => {
  clock?.restore();
  vi.restoreAllMocks();
});

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

  it('end with their key, also those that were verified before', async () => {
    const stub = (keys: [string, ...string[]]) => vi.spyOn(crypto, 'acceptedKeys').mockReturnValue(keys);
    stub(['first']);
    const token = await signToken({ ...claims, typ: 'access' });
    for (const [keys, valid] of [
      [['first'], true],
      [['second', 'first'], true],
      [['second'], false],
      [['third', 'first'], true],
      [['first x', 'y'], false],
    ] as const) {
      stub([...keys]);
      for (let time = 0; time < 2; time++)
        expect(await verifyToken(token, 'access'), keys.join()).toEqual(valid ? { ...claims, typ: 'access' } : null);
    }
  });

  it('have their signature verified once', async () => {
    const token = await signToken({ ...claims, typ: 'access' });
    const verify = vi.spyOn(globalThis.crypto.subtle, 'verify');
    for (let time = 0; time < 5; time++) await verifyToken(token, 'access');
    expect(verify).toHaveBeenCalledTimes(1);
    for (let time = 0; time < 3; time++) expect(await verifyToken(`${token.slice(0, -4)}AAAA`, 'access')).toBeNull();
    expect(verify).toHaveBeenCalledTimes(4);
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
