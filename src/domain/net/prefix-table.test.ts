import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cidr, cidrContains, formatCidr, parseCidr, toNetwork } from './cidr';
import { addressBits, type IpAddress } from './ip-address';
import { PrefixTable } from './prefix-table';

const family = fc.constantFrom<4 | 6>(4, 6);
/** Few different bits, so that networks nest and touch. */
const address = (of: 4 | 6): fc.Arbitrary<IpAddress> =>
  fc
    .tuple(fc.constantFrom(0n, 1n, 0xffffn, 0x0a00n), fc.bigInt({ min: 0n, max: 0xffn }), fc.boolean())
    .map(([head, tail, ones]) => {
      const bits = BigInt(addressBits(of));
      const fill = ones ? (1n << (bits - 16n)) - 1n - 0xffn : 0n;
      return { family: of, value: (head << (bits - 16n)) | fill | tail };
    });
const cidr = family.chain((of) =>
  fc
    .tuple(address(of), fc.integer({ min: 0, max: addressBits(of) }))
    .map(([ip, prefix]): Cidr => toNetwork({ address: ip, prefix })),
);

describe('a prefix table', () => {
  it('finds what looking at every network finds', () => {
    fc.assert(
      fc.property(
        fc.array(cidr, { maxLength: 60 }),
        fc.array(family.chain(address), { maxLength: 60 }),
        (cidrs, ips) => {
          const half = cidrs.length >> 1;
          const entries = cidrs.map((item) => [item, formatCidr(item)] as const);
          const table = new PrefixTable(entries.slice(0, half));
          // Some are added after the first lookup.
          table.match({ family: 4, value: 0n });
          table.match({ family: 6, value: 0n });
          for (const [item, text] of entries.slice(half)) table.set(item, text);
          const edges = cidrs.flatMap(({ address: { family: of, value }, prefix }) => {
            const bits = addressBits(of);
            const last = value + (1n << BigInt(bits - prefix)) - 1n;
            return [value - 1n, value, last, last + 1n]
              .filter((edge) => edge >= 0n && edge < 1n << BigInt(bits))
              .map((edge): IpAddress => ({ family: of, value: edge }));
          });
          for (const ip of [...ips, ...edges]) {
            const holding = cidrs.filter((item) => cidrContains(item, ip)).sort((a, b) => b.prefix - a.prefix);
            expect(table.match(ip)).toBe(holding[0] && formatCidr(holding[0]));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('knows the first and the last address there are, and takes changes', () => {
    const table = new PrefixTable<string>();
    const last: IpAddress = { family: 4, value: 0xffffffffn };
    expect(table.match(last)).toBeUndefined();
    table.set(parseCidr('0.0.0.0/0') as Cidr, 'all');
    table.set(parseCidr('255.255.255.255/32') as Cidr, 'last');
    table.set(parseCidr('0.0.0.0/32') as Cidr, 'first');
    expect([0n, 1n, 0xfffffffen, 0xffffffffn].map((value) => table.match({ family: 4, value }))).toEqual([
      'first',
      'all',
      'all',
      'last',
    ]);
    table.set(parseCidr('255.255.255.255/32') as Cidr, 'changed');
    expect(table.match(last)).toBe('changed');
    expect(table.size).toBe(3);
    expect(table.match({ family: 6, value: 0n })).toBeUndefined();
  });
});
