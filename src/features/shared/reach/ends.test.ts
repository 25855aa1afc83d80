import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEnds, parseEnds, pathCheckPath, toEnd } from './ends';

describe('formatEnds', () => {
  it('keeps all endpoints, whatever characters their names have', () => {
    const name = fc.string({ unit: fc.constantFrom('a', ',', '%', '2', 'C', '5', '/', ' '), minLength: 1 });
    fc.assert(
      fc.property(fc.array(name), (endpoints) => {
        expect(parseEnds(formatEnds(endpoints))).toEqual(endpoints);
      }),
    );
  });
});

describe('pathCheckPath', () => {
  it('fills in a question, without what is not known', () => {
    expect(pathCheckPath({ to: ['vmid:lab/105'], ports: null })).toBe('/reach?to=vmid%3Alab%2F105');
  });
});

describe('toEnd', () => {
  it('asks about everything outside as a whole', () => {
    expect(toEnd(['outside'])).toBe('outside');
    expect(toEnd(['sg:web', '10.0.0.1'])).toEqual(['sg:web', '10.0.0.1']);
  });
});
