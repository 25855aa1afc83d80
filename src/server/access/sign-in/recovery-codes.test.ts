import { expect, it } from 'vitest';
import { RECOVERY_CODES, SecondFactorCode } from '@/domain/second-factor';
import { decodeBase32, hashRecoveryCode, newRecoveryCodes } from '../../auth/one-time-codes';

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
  for (const length of [15, 17, 20, 23, 25]) expect(SecondFactorCode.safeParse('A'.repeat(length)).success).toBe(false);
});
