import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildIntervalIndex, type IntervalIndex, lookUpInterval } from './interval-index';
import { hasBit, hashBit } from './space/bits';

type Conditions = readonly (readonly { first: number; last: number }[] | null)[];

const rulesAt = ({ rows }: IntervalIndex<number>, place: number, count: number): number[] => {
  const bits = rows.slice(place, place + Math.ceil(count / 32));
  return Array.from({ length: count }, (_, rule) => rule).filter((rule) => hasBit(bits, rule));
};

const matching = (conditions: Conditions, value: number): number[] =>
  conditions.flatMap((spans, rule) =>
    !spans || spans.some(({ first, last }) => first <= value && value <= last) ? [rule] : [],
  );

const next = (value: number) => value + 1;

/** Some rules whose hashes cancel each other out: with and without them a set has the same hash. */
function rulesWithoutHash(count: number): number[] {
  const basis: { hash: number; rules: Set<number> }[] = [];
  for (let rule = 0; rule < count; rule++) {
    let hash = hashBit(rule);
    const rules = new Set([rule]);
    for (const known of basis) {
      if ((hash ^ known.hash) >>> 0 >= hash >>> 0) continue;
      hash ^= known.hash;
      for (const one of known.rules) if (!rules.delete(one)) rules.add(one);
    }
    if (hash === 0) return [...rules];
    basis.push({ hash, rules });
    basis.sort((a, b) => (b.hash >>> 0) - (a.hash >>> 0));
  }
  return [];
}

describe('buildIntervalIndex', () => {
  it('finds for every value the rules that match it', () => {
    const spans = fc
      .uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 2, maxLength: 6 })
      .map((ends) => ends.sort((a, b) => a - b))
      .map((ends) =>
        Array.from({ length: ends.length >> 1 }, (_, at) => ({
          first: ends[2 * at] as number,
          last: ends[2 * at + 1] as number,
        })),
      );
    fc.assert(
      fc.property(fc.array(fc.option(spans), { maxLength: 70 }), (conditions) => {
        const index = buildIntervalIndex(conditions, next);
        for (let value = -1; value <= 32; value++) {
          const found = rulesAt(index, lookUpInterval(index, value), conditions.length);
          expect(found).toEqual(matching(conditions, value));
        }
        expect(rulesAt(index, index.any, conditions.length)).toEqual([...conditions.keys()]);
      }),
    );
  });

  it('keeps sets of rules apart that have the same hash', () => {
    const rules = rulesWithoutHash(64);
    expect(rules.length).toBeGreaterThan(1);
    const conditions = Array.from({ length: 64 }, (_, rule) =>
      rules.includes(rule) ? [{ first: 10, last: 20 }] : [{ first: 90, last: 99 }],
    );
    const index = buildIntervalIndex(conditions, next);
    expect(rulesAt(index, lookUpInterval(index, 15), 64)).toEqual([...rules].sort((a, b) => a - b));
    expect(rulesAt(index, lookUpInterval(index, 5), 64)).toEqual([]);
  });
});
