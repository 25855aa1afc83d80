import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressFromWords,
  addressToWords,
  canonicalAddress,
  canonicalIpv6,
  ipv4FromWord,
  ipv4ToWord,
  ipv6FromBytes,
} from './addresses';

describe('IPv4', () => {
  it('goes to a word and back', () => {
    fc.assert(fc.property(fc.ipV4(), (text) => ipv4FromWord(ipv4ToWord(text) as number) === text));
    expect(ipv4ToWord('1.2.3.4')).toBe(0x04030201);
  });

  it('refuses what is not a dotted quad', () => {
    for (const text of ['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '1.2.3.x', ' 1.2.3.4']) {
      expect(ipv4ToWord(text)).toBeNull();
    }
  });
});

describe('an address in a key', () => {
  it('goes to four words and back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const words = addressToWords(text);
        expect(words && addressFromWords(words, 0)).toBe(
          canonicalAddress(text)?.replace(/^::ffff:([^:]+:[^:]+)$/, () => addressFromWords(words as Uint32Array, 0)),
        );
      }),
    );
    expect(addressToWords('1.2.3.4')).toEqual(new Uint32Array([0, 0, 0xffff0000, 0x04030201]));
    expect(addressToWords('2001:db8::1')).toEqual(new Uint32Array([0xb80d0120, 0, 0, 0x01000000]));
    for (const text of ['', '1.2.3', 'x', ':::', '1::2::3']) expect(addressToWords(text)).toBeNull();
  });
});

describe('IPv6', () => {
  // The platform's URL parser writes addresses canonically; it is the oracle here.
  const oracle = (text: string) => new URL(`http://[${text}]/`).hostname.slice(1, -1);

  it('writes every notation as the platform does', () => {
    fc.assert(fc.property(fc.ipV6(), (text) => canonicalIpv6(text) === oracle(text)));
    expect(canonicalIpv6('2001:0db8:0000:0000:0000:0000:0000:0001')).toBe('2001:db8::1');
  });

  it('reads bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const groups = Array.from({ length: 8 }, (_, i) =>
          Buffer.from(bytes)
            .readUInt16BE(2 * i)
            .toString(16),
        );
        expect(ipv6FromBytes(bytes)).toBe(oracle(groups.join(':')));
      }),
    );
  });

  it('accepts exactly what the platform accepts', () => {
    const piece = fc.constantFrom('0', '1', 'ffff', '12345', ':', '::', '1.2.3.4', 'g', '%eth0');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const text = pieces.join('');
        expect(canonicalIpv6(text) !== null).toBe(isIPv6(text) && !text.includes('%'));
      }),
      { numRuns: 2000 },
    );
    expect(canonicalAddress('10.0.0.1')).toBe('10.0.0.1');
    expect(canonicalAddress('fe80::1%eth0')).toBeNull();
  });
});
