import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getBegunHour, makeConversationId } from './assign-reports';

const HOUR = 3_600_000;
const end = fc.record({ ip: fc.ipV4(), port: fc.option(fc.nat(65_535)) });
const begin = fc.nat(4e12);

/** Both halves of an id as the store of flows compares them: the second one first. */
const splitId = (id: string): [string, string] => [id.slice(19), id.slice(0, 18)];

describe('makeConversationId', () => {
  it('makes a UUID with the hour in which the conversation began', () => {
    fc.assert(
      fc.property(end, end, fc.string(), begin, (low, high, text, first_seen) => {
        const id = makeConversationId({ low, high }, [text], first_seen);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(getBegunHour(id)).toBe(Math.floor(first_seen / HOUR) * HOUR);
      }),
    );
  });

  it('puts conversations of the same addresses in the same place, and keeps them apart there', () => {
    fc.assert(
      fc.property(end, end, fc.nat(60_000), begin, (low, high, port, first_seen) => {
        const ids = [0, 1].map((n) =>
          makeConversationId({ low: { ...low, port: port + n }, high }, [port + n], first_seen),
        );
        const places = ids.map((id) => splitId(id)[0].slice(0, 'a123-4'.length));
        expect(places[0]).toBe(places[1]);
        expect(ids[0]).not.toBe(ids[1]);
      }),
    );
  });

  it('spreads addresses over all places', () => {
    const places = new Set(
      Array.from({ length: 2_000 }, (_, i) => {
        const low = { ip: `10.${i % 7}.${i >> 8}.${i % 256}`, port: null };
        return makeConversationId({ low, high: low }, [i], 0).slice(20, 22);
      }),
    );
    expect(places.size).toBeGreaterThan(250);
  });
});
