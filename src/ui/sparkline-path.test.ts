import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sparklinePath } from './sparkline-path';

const BOX = { width: 100, height: 20, padding: 2 };

it('draws from zero to the greatest value', () => {
  expect(sparklinePath([0, 5, 10], BOX)).toBe('M2 18L50 10L98 2');
});

it('leaves gaps where nothing was measured, and shows a lone value as a dot', () => {
  expect(sparklinePath([10, null, 10, 10], BOX)).toBe('M2 2h0M66 2L98 2');
  expect(sparklinePath([null, null], BOX)).toBe('');
});

it('stays in its box and has one point per value', () => {
  const value = fc.option(fc.double({ min: -1e9, max: 1e9, noNaN: true }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 50 }), (values) => {
      const points = Array.from(sparklinePath(values, BOX).matchAll(/[ML](\S+?) (\S+?)(?=[MLh]|$)/g));
      expect(points).toHaveLength(values.filter((v) => v !== null).length);
      for (const [, x, y] of points) {
        expect(Number(x)).toBeGreaterThanOrEqual(2);
        expect(Number(x)).toBeLessThanOrEqual(98);
        expect(Number(y)).toBeGreaterThanOrEqual(2);
        expect(Number(y)).toBeLessThanOrEqual(18);
      }
    }),
  );
});
