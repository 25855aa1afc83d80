import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareIp, formatIp, type IpAddress, parseIp, unmapIp } from './ip-address';

const anyIp: fc.Arbitrary<IpAddress> = fc.oneof(
  fc.bigInt(0n, 2n ** 32n - 1n).map((value) => ({ family: 4 as const, value })),
  fc.bigInt(0n, 2n ** 128n - 1n).map((value) => ({ family: 6 as const, value })),
  // Sparse values make `::` appear in every place.
  fc.array(fc.constantFrom<bigint>(0n, 0n, 1n, 0xffffn), { minLength: 8, maxLength: 8 }).map((groups) => ({
    family: 6 as const,
    value: groups.reduce<bigint>((value, group) => (value << 16n) | group, 0n),
  })),
);

describe('IP addresses', () => {
  it('read back what they print', () => {
    fc.assert(
      fc.property(anyIp, (ip) => {
        expect(parseIp(formatIp(ip))).toEqual(ip);
      }),
    );
  });

  it('print the form that the URL standard prints', () => {
    const v6 = anyIp.filter((ip) => ip.family === 6);
    fc.assert(
      fc.property(v6, (ip) => {
        expect(`[${formatIp(ip)}]`).toBe(new URL(`http://[${formatIp(ip)}]/`).hostname);
      }),
    );
  });

  it('accept exactly what node accepts, zone suffixes aside', () => {
    const text = fc.oneof(
      fc.stringMatching(/^[0-9.]{1,16}$/),
      fc.stringMatching(/^[0-9a-fA-F:.]{1,30}$/),
      fc
        .array(fc.constantFrom('0', '1', 'ffff', ':', '::', '.', '127.0.0.1', 'g', '%eth0'), { maxLength: 12 })
        .map((a) => a.join('')),
      fc.ipV4(),
      fc.ipV6(),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        expect(parseIp(candidate)?.family ?? 0).toBe(candidate.includes('%') ? 0 : isIP(candidate));
      }),
      { numRuns: 2000 },
    );
  });

  it('mean the same address as node does', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const list = new BlockList();
        list.addAddress(text, 'ipv6');
        const ip = parseIp(text);
        expect(ip && list.check(formatIp(ip), 'ipv6')).toBe(true);
      }),
    );
  });

  it('become IPv4 when they map an IPv4 address', () => {
    expect(unmapIp(parseIp('::ffff:127.0.0.1') as IpAddress)).toEqual(parseIp('127.0.0.1'));
    expect(unmapIp(parseIp('::127.0.0.1') as IpAddress).family).toBe(6);
  });

  it('sort by family, then number', () => {
    const sorted = ['::1', '10.0.0.1', '9.255.0.0', '::'].map((t) => parseIp(t) as IpAddress).sort(compareIp);
    expect(sorted.map(formatIp)).toEqual(['9.255.0.0', '10.0.0.1', '::', '::1']);
  });
});
