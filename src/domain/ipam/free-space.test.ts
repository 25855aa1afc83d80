import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cidr, cidrBounds, cidrCovers, formatCidr, parseCidr } from '../net/cidr';
import { firstAddresses, firstPrefix, freeParts, type Interval } from './free-space';
import { computeCapacity, usableBounds } from './usage';

const interval = fc
  .tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 40 }))
  .map(([first, length]): Interval => ({ first: BigInt(first), last: BigInt(first + length) }));
const held = (parts: readonly Interval[], value: bigint) =>
  parts.some(({ first, last }) => first <= value && value <= last);

describe('free parts', () => {
  it('contain exactly the values that are not used, in order and disjoint', () => {
    fc.assert(
      fc.property(interval, fc.array(interval, { maxLength: 12 }), (whole, taken) => {
        const free = freeParts(whole, taken);
        for (let value = 0n; value <= 350n; value++)
          expect(held(free, value)).toBe(held([whole], value) && !held(taken, value));
        for (const [i, part] of free.entries()) expect(part.first > (free[i - 1]?.last ?? -2n) + 1n).toBe(true);
        const target = firstAddresses(free, 4, 5);
        const all = Array.from({ length: 351 }, (_, i) => BigInt(i)).filter((value) => held(free, value));
        expect(target.map(({ value }) => value)).toEqual(all.slice(0, 5));
      }),
    );
  });
});

describe('the first free prefix', () => {
  it('has the lowest address of its length that overlaps nothing', () => {
    const inside = parseCidr('10.0.0.0/23') as Cidr;
    const base = inside.address.value;
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 8 }), fc.integer({ min: 24, max: 32 }), (parts, length) => {
        const taken = parts.map(({ first, last }) => ({ first: base + first, last: base + last }));
        const size = 1n << BigInt(32 - length);
        const blocks = Array.from({ length: 2 ** (length - 23) }, (_, i) => base + BigInt(i) * size);
        const expected = blocks.find((at) => !taken.some(({ first, last }) => first < at + size && last >= at));
        const found = firstPrefix(inside, length, taken);
        expect(found?.address.value).toBe(expected);
        if (found) expect(cidrCovers(inside, found)).toBe(true);
      }),
    );
  });
});

it.each([
  ['10.0.0.0/24', '254', '10.0.0.1/32'],
  ['10.0.0.0/30', '2', '10.0.0.1/32'],
  ['10.0.0.0/31', '2', '10.0.0.0/32'],
  ['10.0.0.7/32', '1', '10.0.0.7/32'],
  ['fd00::/64', '18446744073709551615', 'fd00::1/128'],
  ['fd00::/127', '2', 'fd00::/128'],
  ['0.0.0.0/0', '4294967294', '0.0.0.1/32'],
])('%s has room for %s, from %s', (text, capacity, first) => {
  const cidr = parseCidr(text) as Cidr;
  expect(computeCapacity(cidr).toString()).toBe(capacity);
  expect(formatCidr({ address: usableBounds(cidr).first, prefix: cidr.address.family === 4 ? 32 : 128 })).toBe(first);
  expect(usableBounds(cidr).last.value).toBeLessThanOrEqual(cidrBounds(cidr).last.value);
});
