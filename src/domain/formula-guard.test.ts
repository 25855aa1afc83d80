import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guardFormulas, unguardFormulas } from './formula-guard';

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("'", '"', '=', '+', '-', '@', ';', '\t', '\n', '\r', ' ', 'a', '1'),
      fc.string({ maxLength: 2 }),
    ),
  )
  .map((parts) => parts.join(''));

it('adds what can be taken out again, exactly, of every text', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(unguardFormulas(guardFormulas(given))).toBe(given);
    }),
    { numRuns: 2_000 },
  );
});

it('keeps what is no formula', () => {
  const kept = ['', 'web-01', "it's", 'a=b', "'quoted'", '10.0.0.1', 'Contact: a; b'];
  expect(kept.map(guardFormulas)).toEqual(kept);
  expect(['=1', "'=1", 'a;=1', 'a; +49 30'].map(guardFormulas)).toEqual(["'=1", "''=1", "a;'=1", "a;' +49 30"]);
});
