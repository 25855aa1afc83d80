import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseNumber } from './number-input';

it('reads digits as their number, and no other text as a number', () => {
  const text = fc.oneof(fc.string(), fc.double().map(String), fc.bigInt({ min: 0n }).map(String), fc.nat().map(String));
  fc.assert(
    fc.property(text, (typed) => {
      const read = parseNumber(typed);
      if (read === null) expect(typed.trim()).toBe('');
      else if (!Number.isNaN(read)) expect(BigInt(typed.trim())).toBe(BigInt(read));
    }),
  );
  expect(['1.5', '1,5', '-5', '1e3', '10 000', '1234567890123456'].map(parseNumber)).toEqual(Array(6).fill(Number.NaN));
  expect([' 15 ', '007', '0'].map(parseNumber)).toEqual([15, 7, 0]);
});
