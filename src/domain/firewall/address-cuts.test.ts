import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCidr } from '../net/cidr';
import { formatIp, parseIp } from '../net/ip-address';
import { addressCuts, representatives } from './address-cuts';
import { evaluate } from './evaluate';
import { prepareGuest } from './prepare-guest';
import { RANDOM_NIC, randomPacket, randomSource, randomState } from './random-state.fixture';

const cidr = (text: string) => {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(text);
  return parsed;
};
const value = (text: string) => parseIp(text)?.value ?? 0n;

describe('representatives', () => {
  it('names the first address of each part', () => {
    const cuts = ['10.0.0.0', '10.0.0.4', '10.0.0.8', '10.0.1.0'].map(value);
    const of = (text: string) => representatives(cidr(text), cuts).map(formatIp);
    expect(of('10.0.0.0/24')).toEqual(['10.0.0.0', '10.0.0.4', '10.0.0.8']);
    expect(of('10.0.0.5/32')).toEqual(['10.0.0.5']);
    expect(of('10.0.0.4/30')).toEqual(['10.0.0.4']);
    expect(of('192.168.0.0/16')).toEqual(['192.168.0.0']);
  });
});

it('the verdict is the same from one cut to the next, for random rule sets and packets', () => {
  let changes = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const read = randomState(seed);
      // Of networks that are not known, no cuts can be made around their broadcast addresses.
      const state = { ...read, node: read.node && { ...read.node, networks: read.node.networks ?? [] } };
      if (!state.node) return;
      const guest = prepareGuest(state, RANDOM_NIC);
      const random = randomSource(seed + 1);
      for (let count = 0; count < 60; count++) {
        const packet = randomPacket(random);
        const end = random() < 0.5 ? 'source' : 'destination';
        const { family } = packet[end];
        const cuts = addressCuts(guest, packet.direction, family, end);
        const verdictAt = (address: bigint) =>
          JSON.stringify(evaluate(guest, { ...packet, [end]: { family, value: address } }));
        // Addresses around those that rules name, and one far from all.
        const from = family === 4 ? value('10.0.0.0') : value('fd00::');
        const addresses = [
          ...Array.from({ length: 12 }, (_, i) => from + BigInt(i)),
          packet[end].value,
          value('203.0.113.9'),
        ];
        for (const address of addresses) {
          const part = cuts.findLast((cut) => cut <= address) ?? 0n;
          if (verdictAt(address) !== verdictAt(part)) expect({ seed, packet, end, address, part }).toBeNull();
          if (part !== 0n && verdictAt(part) !== verdictAt(part - 1n)) changes++;
        }
      }
    }),
    { numRuns: 150 },
  );
  expect(changes).toBeGreaterThan(1_000);
});
