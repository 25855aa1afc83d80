import { evaluate } from '../firewall/evaluate';
import type { LiveGuestOptions, LiveNic, LiveRule, LiveState } from '../firewall/live-state';
import type { Packet } from '../firewall/packet';
import { type PreparedGuest, prepareGuest } from '../firewall/prepare-guest';
import { randomSource } from '../firewall/random-state.fixture';
import { decomposeAsked } from '../firewall/space/decompose';
import { joinSpans } from '../firewall/space/spans';
import type { Assertion } from './decide';
import { type Answer, pointSpans, type TestEnd, type TestPlace, toAnswer } from './test-end';

/** All addresses of a random test: 10.0.0.0 to 10.0.0.15. */
const BASE = 0x0a000000n;
const SPACE = 16;
export const PORTS = [1, 2, 3, 4, 5, 6];
/** Every client port that a rule, or a built-in step, treats in its own way, and others. */
export const CLIENT_PORTS = [1, 53, 137, 1000, 1001, 40000, 65535];

type Guest = { readonly place: TestPlace; readonly prepared: PreparedGuest };
export type RandomTest = {
  readonly assertion: Assertion;
  readonly from: TestEnd;
  readonly to: TestEnd;
  readonly guests: ReadonlyMap<string, PreparedGuest>;
};

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const ADDRESSES = [
  '10.0.0.1',
  '10.0.0.5',
  '10.0.0.0/30',
  '10.0.0.8/29',
  '10.0.0.4-10.0.0.9',
  '10.0.0.0/28',
  '+missing',
];

function randomRule(random: Random, pos: number): LiveRule {
  const proto = pick(random, ['tcp', 'udp', 'tcp', undefined]);
  const some = <T>(share: number, make: () => T): T | undefined => (random() < share ? make() : undefined);
  const source = some(0.5, () => pick(random, ADDRESSES));
  const dest = some(0.3, () => pick(random, ADDRESSES));
  const dport = proto && some(0.6, () => pick(random, ['1', '2:4', '3,5', '6', '1:6']));
  const sport = proto && some(0.1, () => pick(random, ['1000', '1:1000']));
  return {
    pos,
    type: pick(random, ['in', 'in', 'out']),
    action: pick(random, ['ACCEPT', 'ACCEPT', 'DROP', 'REJECT']),
    ...(random() < 0.9 && { enable: 1 }),
    ...(proto && { proto }),
    ...(source && { source }),
    ...(dest && { dest }),
    ...(dport && { dport }),
    ...(sport && { sport }),
  };
}

function randomGuest(random: Random, number: number, rulesBelow: number): Guest {
  const options: LiveGuestOptions | null =
    random() < 0.12
      ? null
      : {
          enable: random() < 0.85 ? 1 : 0,
          ...(random() < 0.3 && { policy_in: 'ACCEPT' }),
          ...(random() < 0.3 && { policy_out: pick(random, ['DROP', 'REJECT']) }),
        };
  const count = Math.floor(random() * rulesBelow);
  const rules = random() < 0.15 ? null : Array.from({ length: count }, (_, pos) => randomRule(random, pos));
  const state: LiveState = {
    cluster: { firewall_enabled: random() < 0.95, groups: {}, ipsets: {}, aliases: {} },
    guest: { options, rules, ipsets: {}, aliases: {} },
    node: { options: { nftables: random() < 0.4 ? 1 : 0 }, networks: ['10.0.0.14/28'], rules: [] },
  };
  const nic: LiveNic = { name: 'net0', firewall: random() < 0.9, mac: null };
  const prepared = prepareGuest(state, nic);
  const values = Array.from(
    { length: 1 + Math.floor(random() * 2) },
    () => BASE + BigInt(1 + Math.floor(random() * 14)),
  );
  const addresses = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
  const { enforcement } = prepared;
  return {
    prepared,
    place: {
      key: `guest-${number}`,
      ref: { kind: 'workload', id: `guest-${number}`, name: `guest-${number}` },
      addresses: { 4: addresses, 6: [] },
      filters: [{ interface: 'net0', parts: (direction, box) => decomposeAsked(prepared, direction, box) }],
      not_filtered: enforcement.status === 'off' ? enforcement.reasons[0] : null,
      broadcasts: prepared.filters[0].node.broadcasts ?? [],
    },
  };
}

function randomEnd(random: Random, guests: readonly Guest[]): TestEnd {
  const places = guests.filter(() => random() < 0.5).map(({ place }) => place);
  const taken = new Set(guests.flatMap(({ place }) => place.addresses[4]));
  const free = Array.from({ length: SPACE }, (_, at) => BASE + BigInt(at)).filter((value) => !taken.has(value));
  const outside = random() < 0.4 ? free.filter(() => random() < 0.6) : [];
  const missing = random() < 0.1 ? [{ reason: 'nothing_resolved' as const, endpoint: 'sg:empty' }] : [];
  return { places, outside: { 4: joinSpans(pointSpans(outside)), 6: [] }, missing };
}

/** A random test with the guests that its ends refer to, over sixteen addresses. */
export function randomTest(seed: number, rulesBelow = 4): RandomTest {
  const random = randomSource(seed);
  const guests = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, number) =>
    randomGuest(random, number, rulesBelow),
  );
  return {
    assertion: {
      expect: pick(random, ['allow', 'deny']),
      protocol: pick(random, ['tcp', 'udp', 'tcp/udp']),
      ports: pick(random, [['1'], ['2-3'], ['1-6'], ['1', '5-6']]),
    },
    from: randomEnd(random, guests),
    to: randomEnd(random, guests),
    guests: new Map(guests.map(({ place, prepared }) => [place.key, prepared])),
  };
}

export const listAddresses = ({ places, outside }: TestEnd): bigint[] => {
  const points = outside[4].flatMap(({ first, last }) =>
    Array.from({ length: Number(last - first) + 1 }, (_, at) => first + BigInt(at)),
  );
  return [...new Set([...points, ...places.flatMap(({ addresses }) => addresses[4])])];
};
export const placesAt = ({ places }: TestEnd, value: bigint) =>
  places.filter(({ addresses }) => addresses[4].includes(value));
export const isOutside = ({ outside }: TestEnd, value: bigint) =>
  outside[4].some(({ first, last }) => first <= value && value <= last);

/** Whether the place exchanges no packets with this address of the other end. */
export const isOwn = ({ key, addresses, broadcasts }: TestPlace, other: TestEnd, value: bigint) =>
  addresses[4].includes(value) ||
  broadcasts.includes(value) ||
  other.places.some((twin) => twin.key === key && twin.addresses[4].includes(value));

/** What the filter of a place does with a packet. */
export function answerAt(guests: RandomTest['guests'], place: TestPlace, packet: Packet): Answer {
  const guest = guests.get(place.key);
  return guest ? toAnswer(evaluate(guest, packet)) : 'unknown';
}

/** Protocols and ports of a random test. */
export function listAskedPackets({ protocol, ports }: Assertion) {
  const protocols = { tcp: [6], udp: [17], 'tcp/udp': [6, 17] }[protocol as 'tcp'] ?? [];
  const asked = ports.flatMap((text) => {
    const [first = 0, last = first] = text.split('-').map(Number);
    return PORTS.filter((port) => first <= port && port <= last);
  });
  return protocols.flatMap((number) => asked.map((destination_port) => ({ protocol: number, destination_port })));
}

type Header = Pick<Packet, 'protocol' | 'source_port' | 'destination_port'>;

/** One packet between two IPv4 addresses, as it leaves the one and as it arrives at the other. */
export const packetBuilder =
  (source: bigint, destination: bigint, header: Header) =>
  (direction: 'in' | 'out'): Packet => ({
    direction,
    source: { family: 4, value: source },
    destination: { family: 4, value: destination },
    ...header,
  });

/** The result by trying every packet between every two addresses. */
export function computeBruteForceResult({ assertion, from, to, guests }: RandomTest): 'pass' | 'fail' | 'unknown' {
  const asked = listAskedPackets(assertion);
  let pairs = false;
  let doubt = from.missing.length + to.missing.length > 0;
  const at = (place: TestPlace, packet: Packet) => answerAt(guests, place, packet);
  for (const source of listAddresses(from)) {
    for (const destination of listAddresses(to)) {
      const senders = placesAt(from, source).filter((place) => !isOwn(place, to, destination));
      const receivers = placesAt(to, destination).filter((place) => !isOwn(place, from, source));
      if (senders.length + receivers.length > 0) pairs = true;
      for (const { protocol, destination_port } of asked) {
        for (const source_port of CLIENT_PORTS) {
          const packet = packetBuilder(source, destination, { protocol, source_port, destination_port });
          const outs = senders.map((place) => ({ place, answer: at(place, packet('out')) }));
          const ins = receivers.map((place) => ({ place, answer: at(place, packet('in')) }));
          if (assertion.expect === 'allow') {
            const answers = [...outs, ...ins].map(({ answer }) => answer);
            if (answers.includes('deny')) return 'fail';
            if (answers.includes('unknown')) doubt = true;
            continue;
          }
          const ways: Answer[][] = [];
          for (const receiver of ins) {
            if (isOutside(from, source)) ways.push([receiver.answer]);
            for (const sender of placesAt(from, source)) {
              if (sender.key === receiver.place.key) continue;
              ways.push([receiver.answer, at(sender, packet('out'))]);
            }
          }
          if (isOutside(to, destination)) for (const sender of outs) ways.push([sender.answer]);
          for (const way of ways) {
            if (way.includes('deny')) continue;
            if (!way.includes('unknown')) return 'fail';
            doubt = true;
          }
        }
      }
    }
  }
  return doubt || !pairs ? 'unknown' : 'pass';
}
