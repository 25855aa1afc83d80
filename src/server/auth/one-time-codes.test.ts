import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECOVERY_CODES, SecondFactorCode } from '@/domain/second-factor';
import {
  decodeBase32,
  encodeBase32,
  hashRecoveryCode,
  matchTotp,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUri,
  stepAt,
  totpCode,
} from './one-time-codes';

// RFC 6238, appendix B, SHA-1: eight digits there, of which we use six.
const SECRET = Buffer.from('12345678901234567890');
const VECTORS: [number, string][] = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
];
const at = (seconds: number) => new Date(seconds * 1000);

describe('codes of an authenticator app', () => {
  it('match RFC 6238', () => {
    for (const [seconds, eight] of VECTORS) expect(totpCode(SECRET, stepAt(at(seconds)))).toBe(eight.slice(2));
  });

  it('count one step before and after, and no further', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 2 ** 33 }), fc.integer({ min: -4, max: 4 }), (step, drift) => {
        const secret = newTotpSecret();
        const codes = [-1, 0, 1].map((near) => totpCode(secret, step + near));
        const code = totpCode(secret, step + drift);
        const found = matchTotp(secret, code, at(step * 30 + 7), null);
        if (Math.abs(drift) <= 1) expect(found).not.toBeNull();
        else if (!codes.includes(code)) expect(found).toBeNull();
      }),
    );
  });

  it('never count twice, nor one from before', () => {
    const secret = newTotpSecret();
    const now = 57_000_000;
    const code = totpCode(secret, now);
    expect(matchTotp(secret, code, at(now * 30), now - 1)).toBe(now);
    expect(matchTotp(secret, code, at(now * 30), now)).toBeNull();
    expect(matchTotp(secret, totpCode(secret, now - 1), at(now * 30), now)).toBeNull();
    expect(matchTotp(secret, '', at(now * 30), null)).toBeNull();
    expect(matchTotp(secret, `${code}0`, at(now * 30), null)).toBeNull();
  });

  it('can be added to the authenticator app by URI', () => {
    const url = new URL(otpauthUri(SECRET, 'a b@example.org'));
    expect(url.href.startsWith('otpauth://totp/Fabric:a%20b%40example.org?')).toBe(true);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Fabric',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});

describe('base 32', () => {
  it('matches RFC 4648, without padding', () => {
    const vectors = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' };
    for (const [plain, text] of Object.entries(vectors)) expect(encodeBase32(Buffer.from(plain))).toBe(text);
    expect(encodeBase32(new Uint8Array())).toBe('');
  });

  it('reads back as what was written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect([...decodeBase32(encodeBase32(bytes))]).toEqual([...bytes]);
      }),
    );
  });
});

describe('recovery codes', () => {
  it('makes codes of at least 112 bits, which the form takes in every way of typing them', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(RECOVERY_CODES);
    for (const code of codes) {
      expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
      expect(decodeBase32(code.replaceAll('-', '')).length * 8).toBeGreaterThanOrEqual(112);
      for (const typed of [code, code.toLowerCase(), code.replaceAll('-', ' '), ` ${code.replaceAll('-', '')} `]) {
        expect(hashRecoveryCode(SecondFactorCode.parse(typed))).toBe(hashRecoveryCode(code));
      }
    }
  });

  it('takes codes of earlier versions, and nothing between', () => {
    expect(SecondFactorCode.parse('abcd-efgh-ijkl-mno2')).toBe('ABCDEFGHIJKLMNO2');
    for (const length of [15, 17, 20, 23, 25])
      expect(SecondFactorCode.safeParse('A'.repeat(length)).success).toBe(false);
  });
});
