import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIp } from '../net/ip-address';
import { ADDRESS_WIDTHS, countUnits, createMatcher, joinAddresses, toUnit } from './prefixes';

/** Few of the bits vary, so that addresses share networks. */
const address = fc.oneof(
  fc.tuple(fc.nat(2), fc.nat(2), fc.nat(255)).map(([b, c, d]) => `198.${b}.${c}.${d}`),
  fc.nat(0xf_ffff).map((low) => formatIp({ family: 6, value: (0x20010db8n << 96n) + (BigInt(low) << 60n) })),
);

describe('addresses as networks', () => {
  it('contain every address, and are never more where less is asked for', () => {
    fc.assert(
      fc.property(fc.array(address, { minLength: 1, maxLength: 40 }), (addresses) => {
        const counts = ADDRESS_WIDTHS.slice(0, 3).map((width) => {
          const networks = joinAddresses(addresses, width);
          expect(addresses.every(createMatcher(networks))).toBe(true);
          return countUnits(networks) ?? 0;
        });
        expect(counts).toEqual([...counts].sort((a, b) => a - b));
        expect(counts[0]).toBe(new Set(addresses.map(toUnit)).size);
      }),
    );
  });

  it('become everywhere only when that is chosen', () => {
    fc.assert(
      fc.property(fc.array(address), fc.constantFrom('addresses', 'networks', 'wide'), (addresses, width) => {
        const networks = joinAddresses(addresses, width);
        expect(networks).not.toContain('any');
        expect(networks.every((one) => !one.endsWith('/0'))).toBe(true);
      }),
    );
    expect(joinAddresses(['198.51.100.1'], 'anywhere')).toEqual(['any']);
    expect(countUnits(['any'])).toBeNull();
  });

  it('join addresses of one network from three on', () => {
    const list = (count: number) => Array.from({ length: count }, (_, n) => `198.51.100.${n + 1}`);
    expect(joinAddresses(list(2), 'networks')).toEqual(['198.51.100.1', '198.51.100.2']);
    expect(joinAddresses(list(3), 'networks')).toEqual(['198.51.100.0/24']);
    expect(joinAddresses(['198.51.100.1', '198.51.9.1'], 'wide')).toEqual(['198.51.0.0/16']);
  });
});
