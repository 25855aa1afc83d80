import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptRows, MOST_NUMBERS, toKey } from './kept-rows';

/** The first and the last numbers, between which nothing gets mixed up. */
const numbers = (most: number) => fc.oneof(fc.constantFrom(0, 1, 15, 16, most - 2, most - 1), fc.nat(most - 1));
const end = numbers(MOST_NUMBERS.ends);
const conversation = fc.record({ source: end, destination: end, service: numbers(MOST_NUMBERS.services) });
const found = fc.constantFrom(null, 'a', 'b', undefined);

describe('what is kept of conversations', () => {
  it('returns what was found at each end, as a map of objects would, without what was forgotten', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(conversation, found, found), { maxLength: 40 }),
        fc.array(end),
        fc.array(end),
        fc.boolean(),
        (kept, extraBoth, extraOwn, isMet) => {
          const both = new Set([...extraBoth, ...(isMet ? kept.slice(0, 3).map(([{ source }]) => source) : [])]);
          const own = new Set([...extraOwn, ...kept.slice(3, 9).map(([{ destination }]) => destination)]);
          const rows = new KeptRows<string, string>();
          const expected = new Map<string, { source: unknown; destination: unknown }>();
          const getName = ({ source, destination, service }: (typeof kept)[number][0]) =>
            `${source} ${destination} ${service}`;
          for (const [one, source, destination] of kept) {
            rows.keep(toKey(one.source, one.destination, one.service), { source, destination });
            expected.set(getName(one), { source, destination });
          }
          rows.forget(both, own);
          for (const [one] of kept) {
            const before = expected.get(getName(one));
            const isAll = both.has(one.source) || both.has(one.destination);
            expect(rows.find(toKey(one.source, one.destination, one.service))).toEqual({
              outcome: undefined,
              source: isAll || own.has(one.source) ? undefined : before?.source,
              destination: isAll || own.has(one.destination) ? undefined : before?.destination,
            });
          }
          expect(rows.size).toBe(expected.size);
          const other = toKey(7, 7, 7);
          if (!expected.has('7 7 7')) expect(rows.find(other)).toBeUndefined();
        },
      ),
    );
  });

  it('returns an outcome only under the state in which it was kept, and not of other ends', () => {
    const rows = new KeptRows<string, string>();
    const key = toKey(1, 2, 3);
    const [state, other] = [{}, {}];
    rows.enter(state);
    rows.keepOutcome(key, 'of nothing');
    rows.keep(key, { source: 'a', destination: 'b' });
    expect(rows.find(key)?.outcome).toBeUndefined();
    rows.keepOutcome(key, 'accepted');
    rows.enter(state);
    expect(rows.find(key)?.outcome).toBe('accepted');
    rows.enter(other);
    expect(rows.find(key)?.outcome).toBeUndefined();
    rows.enter(state);
    expect(rows.find(key)?.outcome).toBeUndefined();
    rows.keepOutcome(key, 'accepted');
    rows.keep(key, { source: 'c', destination: 'b' });
    expect(rows.find(key)?.outcome).toBeUndefined();
  });
});
