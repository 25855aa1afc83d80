import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffByKey, sameFields, sameValue } from './diff';

const few = <T>(item: fc.Arbitrary<T>, key: (value: T) => unknown) =>
  fc.uniqueArray(item, { selector: key, maxLength: 12 });

describe('the difference of two sets', () => {
  it('contains every desired item once and every present item once', () => {
    const item = fc.record({ key: fc.integer({ min: 0, max: 8 }), value: fc.integer({ min: 0, max: 2 }) });
    fc.assert(
      fc.property(
        few(item, (x) => x.key),
        few(item, (x) => x.key),
        (desired, present) => {
          const key = (x: { key: number }) => x.key;
          const diff = diffByKey(desired, present, { desired: key, present: key }, (a, b) => a.value === b.value);
          const applied = [...diff.keep, ...diff.change.map((change) => change.desired), ...diff.create];
          const sorted = (items: { key: number }[]) => [...items].sort((a, b) => a.key - b.key);
          expect(sorted(applied)).toEqual(sorted(desired));
          expect(sorted([...diff.keep, ...diff.change.map((change) => change.present), ...diff.remove])).toEqual(
            sorted(present),
          );
          for (const change of diff.change) expect(change.desired.value).not.toBe(change.present.value);
        },
      ),
    );
  });
});

describe('equality of rows', () => {
  it('compares their JSON in any order of keys', () => {
    const value = fc.oneof(
      fc.constantFrom(null, true, 0, 1, 'a', 'b'),
      fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom(1, 2)),
    );
    const canonical = (v: unknown) =>
      JSON.stringify(
        v && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v,
      );
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sameValue(a, b)).toBe(canonical(a) === canonical(b));
      }),
    );
    expect(sameFields({ a: 1 } as object, { a: 1, b: 2 } as object)).toBe(true);
    expect(sameFields({ a: 1, b: 2 } as object, { a: 1 } as object)).toBe(false);
  });
});
