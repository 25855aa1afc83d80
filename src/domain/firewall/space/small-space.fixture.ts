import { getRunCount } from '@/test/thorough';
import { parseIp } from '../../net/ip-address';
import type { AddressSpan } from '../address-set';
import { hasPorts, ICMP, ICMPV6 } from '../data/protocols';
import type { LiveNic, LiveState } from '../live-state';
import type { Packet } from '../packet';
import { randomNic, randomSource, randomState, withForwarding } from '../random-state.fixture';
import { type Addresses, type Box, buildBox, getProtocolKind } from './box';
import type { Span } from './spans';

type Random = () => number;

/** A random guest with its interface: on either implementation, with and without VNets, parts of it unreadable. */
export function randomGuest(seed: number): { state: LiveState; nic: LiveNic } {
  const random = randomSource(seed + 1);
  const { cluster, node, guest } = randomState(seed);
  const bridge = [undefined, 'vmbr0', 'apps', 'apps', 'apps', 'other'][Math.floor(random() * 6)];
  const state: LiveState = {
    guest,
    node: node && { ...node, rules: random() < 0.5 ? [] : guest.rules },
    cluster: random() < 0.5 ? withForwarding(cluster, random) : cluster,
  };
  return { state, nic: { ...randomNic(random), ...(bridge !== undefined && { bridge }) } };
}

function some<T>(random: Random, count: number, values: readonly T[]): T[] {
  const left = [...values];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}

const address = (text: string): AddressSpan => {
  const value = parseIp(text)?.value ?? 0n;
  return { first: value, last: value };
};
/** At the edges of what random states name. */
const ADDRESSES = {
  4: [
    ...Array.from({ length: 9 }, (_, host) => `10.0.0.${host}`),
    ...['0.0.0.0', '8.8.8.8', '9.9.9.255', '10.0.1.0', '10.0.1.254', '10.0.1.255', '127.0.0.1'],
    ...['223.255.255.255', '224.0.0.5', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ].map(address),
  6: [
    ...Array.from({ length: 9 }, (_, host) => `fd00::${host}`),
    ...['::', '2001:db8::1', 'fe80::ff:fe00:1', 'fe80::1', 'febf::1', 'fec0::1', 'feff::1', 'ff02::1'],
  ].map(address),
};
const PORTS = [
  ...[0, 1, 19, 20, 21, 23, 25, 26, 42, 43, 52, 54, 66, 67, 68, 69, 79, 81, 99, 100, 134, 135, 136, 137],
  ...[138, 139, 140, 200, 201, 445, 546, 547, 1023, 1024, 1900, 3128, 5060, 5403, 5404, 5405, 5406, 5412, 5413],
  ...[5899, 5900, 5999, 6000, 8005, 8006, 60000, 60050, 60051, 65535],
];
/** Those that rules of random states name. */
const NAMED_PORTS = [22, 43, 53, 80, 443, 1900, 8006];
/** Those that filters have steps of their own for. */
const SOURCE_PORTS = [0, 53, 67, 68, 137, 546, 547];
const TYPES = [0, 1, 2, 3, 4, 5, 8, 10, 11, 12, 13, 127, 128, 129, 130, 133, 134, 135, 136, 137, 138, 139, 143];

/** A set of about a thousand packets at the edges of what random filters distinguish. */
export function smallSpace(random: Random, family: 4 | 6): Box {
  const port = (known: readonly number[]) =>
    [...new Set([...some(random, 3, known), ...some(random, 1, PORTS)])].map((value) => ({
      first: value,
      last: value,
    }));
  const box = buildBox({
    family,
    sources: some(random, 5, ADDRESSES[family]),
    destinations: some(random, 5, ADDRESSES[family]),
    protocols: [6, 17, family === 4 ? ICMP : ICMPV6, ...some(random, 2, [0, 1, 2, 33, 43, 47, 51, 58, 132, 136, 255])],
  });
  const types = some(random, 4, TYPES).flatMap((type) => [0, 4, 5].map((code) => type * 256 + code));
  const icmp = types.sort((a, b) => a - b).map((value) => ({ first: value, last: value }));
  const sorted = (spans: Span<number>[]) => spans.sort((a, b) => a.first - b.first);
  return { ...box, icmp, source_ports: sorted(port(SOURCE_PORTS)), destination_ports: sorted(port(NAMED_PORTS)) };
}

const numbersIn = (spans: readonly Span<number>[]): number[] =>
  spans.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));

function addressesIn({ spans, last_octet }: Addresses): bigint[] {
  const all = spans.flatMap(({ first, last }) =>
    Array.from({ length: Number(last - first) + 1 }, (_, at) => first + BigInt(at)),
  );
  return all.filter((value) => !last_octet || (value % 256n === 255n) === (last_octet === '255'));
}

/** All packets of a small set. */
export function* packetsIn(box: Box, direction: 'in' | 'out'): Generator<Packet> {
  const { family } = box;
  const sources = addressesIn(box.sources);
  for (const destination of addressesIn(box.destinations)) {
    for (const value of sources) {
      const ends = { direction, source: { family, value }, destination: { family, value: destination } } as const;
      for (const protocol of box.protocols) {
        const kind = getProtocolKind(protocol, family);
        if (kind === 'other') yield { ...ends, protocol };
        if (kind === 'icmp') {
          for (const type of numbersIn(box.icmp))
            yield { ...ends, protocol, icmp_type: type >> 8, icmp_code: type & 255 };
        }
        if (!hasPorts(protocol)) continue;
        for (const source_port of numbersIn(box.source_ports)) {
          for (const destination_port of numbersIn(box.destination_ports)) {
            yield { ...ends, protocol, source_port, destination_port };
          }
        }
      }
    }
  }
}

/** How many packets a small set has. */
export function countPackets(box: Box): number {
  const count = (spans: readonly Span<number>[]) => spans.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const each = { ports: count(box.source_ports) * count(box.destination_ports), icmp: count(box.icmp), other: 1 };
  const services = box.protocols.reduce((sum, protocol) => sum + each[getProtocolKind(protocol, box.family)], 0);
  return addressesIn(box.sources).length * addressesIn(box.destinations).length * services;
}

/** Some packets of a small set; with `FABRIC_TEST_THOROUGH=true` all of them. */
export function* packetsToTry(box: Box, direction: 'in' | 'out', random: Random, count: number): Generator<Packet> {
  if (getRunCount(0, 1) === 1) {
    yield* packetsIn(box, direction);
    return;
  }
  const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const single = (spans: readonly Span<number>[]) => {
    const { first, last } = one(spans);
    const value = first + Math.floor(random() * (last - first + 1));
    return [{ first: value, last: value }];
  };
  const addresses = (from: Addresses): Addresses => {
    const value = one(addressesIn(from));
    return { spans: [{ first: value, last: value }] };
  };
  for (let left = count; left > 0; left--) {
    const packet: Box = {
      family: box.family,
      protocols: [one(box.protocols)],
      icmp: single(box.icmp),
      destination_ports: single(box.destination_ports),
      source_ports: single(box.source_ports),
      destinations: addresses(box.destinations),
      sources: addresses(box.sources),
    };
    yield* packetsIn(packet, direction);
  }
}
