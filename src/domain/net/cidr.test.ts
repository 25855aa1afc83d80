import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cidr,
  cidrBounds,
  cidrContains,
  cidrCovers,
  cidrsOverlap,
  formatCidr,
  hasHostBits,
  parseCidr,
  rangeToCidrs,
  toNetwork,
} from './cidr';
import { formatIp, parseIp } from './ip-address';
import { PrefixTable } from './prefix-table';

const anyCidr: fc.Arbitrary<Cidr> = fc.oneof(
  fc.record({
    address: fc.bigInt(0n, 2n ** 32n - 1n).map((value) => ({ family: 4 as const, value })),
    prefix: fc.integer({ min: 0, max: 32 }),
  }),
  fc.record({
    address: fc.bigInt(0n, 2n ** 128n - 1n).map((value) => ({ family: 6 as const, value })),
    prefix: fc.integer({ min: 0, max: 128 }),
  }),
);
/** Few bits, so that networks meet often. */
const smallCidr = fc
  .record({ value: fc.bigInt(0n, 255n), prefix: fc.integer({ min: 22, max: 32 }) })
  .map(({ value, prefix }): Cidr => ({ address: { family: 4, value }, prefix }));
const v4 = (value: bigint) => ({ family: 4 as const, value });

describe('networks', () => {
  it('read back what they print', () => {
    fc.assert(
      fc.property(anyCidr, (cidr) => {
        expect(parseCidr(formatCidr(cidr))).toEqual(cidr);
      }),
    );
  });

  it('hold an address exactly when the kernel-style list of node says so', () => {
    fc.assert(
      fc.property(anyCidr, anyCidr, fc.boolean(), (cidr, other, near) => {
        const address = near ? cidrBounds(cidr).last : other.address;
        const list = new BlockList();
        list.addSubnet(formatIp(cidr.address), cidr.prefix, cidr.address.family === 4 ? 'ipv4' : 'ipv6');
        fc.pre(address.family === cidr.address.family);
        expect(cidrContains(cidr, address)).toBe(list.check(formatIp(address), address.family === 4 ? 'ipv4' : 'ipv6'));
      }),
    );
  });

  it('cover and overlap as sets of addresses do', () => {
    const members = (cidr: Cidr) => {
      const { first, last } = cidrBounds(cidr);
      return new Set(Array.from({ length: Number(last.value - first.value) + 1 }, (_, i) => first.value + BigInt(i)));
    };
    fc.assert(
      fc.property(smallCidr, smallCidr, (a, b) => {
        const [left, right] = [members(a), members(b)];
        expect(cidrCovers(a, b)).toBe([...right].every((value) => left.has(value)));
        expect(cidrsOverlap(a, b)).toBe([...right].some((value) => left.has(value)));
      }),
    );
  });

  it('lose their host bits and nothing else', () => {
    expect(hasHostBits(parseCidr('10.0.0.5/24') as Cidr)).toBe(true);
    expect(formatCidr(toNetwork(parseCidr('10.0.0.5/24') as Cidr))).toBe('10.0.0.0/24');
    fc.assert(
      fc.property(anyCidr, (cidr) => {
        expect(hasHostBits(toNetwork(cidr))).toBe(false);
        expect(cidrContains(cidr, toNetwork(cidr).address)).toBe(true);
      }),
    );
  });

  it.each(['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/08', '10/8', '::/129', '10.0.0.0/24/1', '', '/24'])(
    'refuse %j',
    (text) => expect(parseCidr(text)).toBeNull(),
  );
});

describe('ranges as networks', () => {
  it('hold exactly the range, without overlap, in order', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 300n), fc.bigInt(0n, 300n), (a, b) => {
        const cidrs = rangeToCidrs(v4(a), v4(b));
        const values = cidrs.flatMap((cidr) => {
          const { first, last } = cidrBounds(cidr);
          return Array.from({ length: Number(last.value - first.value) + 1 }, (_, i) => first.value + BigInt(i));
        });
        expect(values).toEqual(Array.from({ length: Math.max(0, Number(b - a) + 1) }, (_, i) => a + BigInt(i)));
      }),
    );
  });

  it('form a single network for a whole family', () => {
    expect(rangeToCidrs(v4(0n), v4(2n ** 32n - 1n)).map(formatCidr)).toEqual(['0.0.0.0/0']);
    expect(rangeToCidrs({ family: 6, value: 0n }, { family: 6, value: 2n ** 128n - 1n })).toHaveLength(1);
    expect(rangeToCidrs(v4(1n), v4(2n ** 32n - 2n))).toHaveLength(62);
  });
});

describe('the prefix table', () => {
  it('finds what a scan for the longest network finds', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(smallCidr, { selector: (c) => formatCidr(toNetwork(c)) }),
        fc.bigInt(0n, 255n),
        (cidrs, value) => {
          const table = new PrefixTable(cidrs.map((cidr) => [cidr, cidr] as const));
          const scan = cidrs.filter((cidr) => cidrContains(cidr, v4(value))).sort((a, b) => b.prefix - a.prefix)[0];
          expect(table.match(v4(value))).toBe(scan);
        },
      ),
    );
  });

  it('keeps the families apart', () => {
    const table = new PrefixTable([[parseCidr('::/0') as Cidr, 'six']]);
    expect(table.match(v4(1n))).toBeUndefined();
    expect(table.match(parseIp('::1') ?? v4(0n))).toBe('six');
  });
});
