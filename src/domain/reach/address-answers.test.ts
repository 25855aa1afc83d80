import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareGuest } from '../firewall/prepare-guest';
import { decomposeAsked } from '../firewall/space/decompose';
import { parseIp } from '../net/ip-address';
import { type Service, serviceBox } from '../policy-tests/packet-set';
import { partsAt } from '../policy-tests/place-parts';
import { pointSpans, type TestPlace } from '../policy-tests/test-end';
import { getAddressAnswers, sumAnswersIn, toValue, visitAnswers } from './address-answers';
import { ANSWER_BITS } from './pairs';

const NETWORKS = {
  4: ['10.0.0.0/24', '10.0.0.254-10.0.1.3', '10.0.0.255', '10.0.1.0/30', '10.0.0.128/25'],
  6: ['2001:db8::/120', '2001:db8::fe-2001:db8::103', '2001:db8::ff', '2001:db8::100/126', '2001:db8::80/121'],
} as const;
const OWN = { 4: '10.0.0.7', 6: '2001:db8::7' } as const;
/** Around the borders of the networks, and of those whose last octet is 255. */
const FIRST = { 4: '10.0.0.120', 6: '2001:db8::78' } as const;
const COUNT = 150;

const read = (text: string): bigint => {
  const ip = parseIp(text);
  if (!ip) throw new Error('expected an address');
  return ip.value;
};

const rules = (family: 4 | 6) =>
  fc.array(
    fc.record({
      type: fc.constantFrom('in', 'out'),
      action: fc.constantFrom('ACCEPT', 'DROP'),
      at: fc.constantFrom('source', 'dest', 'none'),
      network: fc.constantFrom(...NETWORKS[family]),
      dport: fc.constantFrom('443', '1:500', undefined),
    }),
    { maxLength: 6 },
  );

type Rules = readonly { [name: string]: string | undefined }[];

/** A place with an interface for each list. */
function buildPlace(family: 4 | 6, lists: readonly Rules[], isNftables: boolean): TestPlace {
  const prepare = (list: Rules) =>
    prepareGuest(
      {
        cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
        guest: {
          options: { enable: 1, policy_in: 'DROP' },
          rules: list.map(({ type = '', action = '', at, network, dport }, pos) => ({
            ...{ pos, type, action, enable: 1, proto: 'tcp', dport },
            ...(at !== 'none' && { [at ?? '']: network }),
          })),
          ...{ ipsets: {}, aliases: {} },
        },
        // Of a node whose networks are not known every address that ends in .255 may be a broadcast.
        node: { options: { nftables: isNftables ? 1 : 0 }, networks: isNftables ? ['192.0.2.1/24'] : null, rules: [] },
      },
      { name: 'net0', firewall: true, mac: null },
    );
  const own = [read(OWN[family])];
  return {
    ...{ key: 'one', ref: { kind: 'workload', id: 'one', name: 'one' }, not_filtered: null, broadcasts: [] },
    addresses: { 4: family === 4 ? own : [], 6: family === 6 ? own : [] },
    filters: lists.map((list, at) => {
      const prepared = prepare(list);
      return {
        interface: `net${at}`,
        parts: (direction, box, keeps) => decomposeAsked(prepared, direction, box, keeps),
      };
    }),
  };
}

describe.each([4, 6] as const)('answers by address, IPv%i', (family) => {
  it('equal those about each address alone, and their sum', () => {
    const addresses = Array.from({ length: COUNT }, (_, at) => read(FIRST[family]) + BigInt(at));
    const services: Service[] = [
      { protocol: 'tcp', ports: ['443'] },
      { protocol: 'any', ports: [] },
    ];
    const spot = { value: read(OWN[family]) };
    const seen = new Set<number>();
    fc.assert(
      fc.property(
        fc.array(rules(family), { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        fc.nat(COUNT - 1),
        fc.nat(COUNT - 1),
        (lists, isNftables, one, other) => {
          const place = buildPlace(family, lists, isNftables);
          for (const direction of ['in', 'out'] as const) {
            for (const service of services) {
              const near = pointSpans([spot.value]);
              const alone = addresses.map((address) => {
                const far = pointSpans([address]);
                const box =
                  direction === 'in' ? serviceBox(family, service, far, near) : serviceBox(family, service, near, far);
                return [...partsAt(place, direction, box)].reduce((sum, { answer }) => sum | ANSWER_BITS[answer], 0);
              });
              const found: number[] = [];
              const answers = getAddressAnswers({ place, ...spot }, direction, family, service);
              const values = addresses.map((address) => toValue(address, family));
              visitAnswers(answers, values, [0, COUNT], family, (at, bits) => {
                found[at] = bits;
              });
              expect(found).toEqual(alone);
              const [from, to] = [Math.min(one, other), Math.max(one, other)];
              const span = { first: values[from] ?? 0, last: values[to] ?? 0 };
              expect(sumAnswersIn(answers, [span], family)).toBe(
                alone.slice(from, to + 1).reduce((sum, bits) => sum | bits, 0),
              );
              for (const bits of alone) seen.add(bits);
            }
          }
        },
      ),
      { numRuns: 30 },
    );
    expect(seen.size).toBeGreaterThan(2);
  });
});
