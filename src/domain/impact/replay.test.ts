import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../firewall/evaluate';
import type { LiveNic, LiveRule, LiveState } from '../firewall/live-state';
import type { Packet } from '../firewall/packet';
import { PLAIN_NODE, randomSource } from '../firewall/random-state.fixture';
import { packetsToTry, randomGuest, smallSpace } from '../firewall/space/small-space.fixture';
import { type GuestContext, prepareGuestContext } from '../flow-context/guest-context';
import { formatIp, parseIp } from '../net/ip-address';
import { randomChange, randomNicChange } from './random-change.fixture';
import { type ContextPair, createReplayer, distinguishesCallers, type ObservedConversation } from './replay';

const [CLIENT, SERVER] = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b'];

const buildGuest = (workload_id: string, state: LiveState, nic: LiveNic): GuestContext =>
  prepareGuestContext({ workload_id, state, nics: [nic], audit: [] });

const BASE: ObservedConversation = {
  ...{ source_workload_id: CLIENT, destination_workload_id: SERVER, source_ip: '10.0.0.1', destination_ip: '10.0.0.2' },
  ...{ source_prefix: '10.0.0.0/24', destination_prefix: '10.0.0.0/24', source_internal: true },
  ...{ destination_internal: true, protocol: 'tcp', source_port: 40_000, destination_port: 443, initiator: 'source' },
  ...{ reply: false, service_port: 443, icmp_type: null, icmp_code: null, workload_id: null, nic: null },
  ...{ bytes: 1, packets: 1, flows: 1, last_seen_at: '2026-11-26T00:00:00.000Z' },
};

const toConversation = (packet: Packet): ObservedConversation => ({
  ...BASE,
  source_ip: formatIp(packet.source),
  destination_ip: formatIp(packet.destination),
  protocol: String(packet.protocol),
  source_port: packet.source_port ?? null,
  destination_port: packet.destination_port ?? null,
  icmp_type: packet.icmp_type ?? null,
  icmp_code: packet.icmp_code ?? null,
});

/** The same conversation, seen in the other direction. */
const turned = (flow: ObservedConversation): ObservedConversation => ({
  ...flow,
  ...{ source_workload_id: SERVER, destination_workload_id: CLIENT, initiator: 'destination', reply: true },
  ...{ source_ip: flow.destination_ip, destination_ip: flow.source_ip },
  ...{ source_prefix: flow.destination_prefix, destination_prefix: flow.source_prefix },
  ...{ source_port: flow.destination_port, destination_port: flow.source_port },
});

const isBlocked = (guests: readonly (GuestContext | null)[], packet: Packet): boolean | null => {
  const verdicts = guests.map((guest, at) => {
    const live = guest?.interfaces?.[0]?.live;
    return live ? evaluate(live, { ...packet, direction: at === 0 ? 'out' : 'in' }).verdict : 'accept';
  });
  if (verdicts.some((verdict) => verdict === 'drop' || verdict === 'reject')) return true;
  return verdicts.includes('unknown') ? null : false;
};
const expected = (was: boolean | null, is: boolean | null) => {
  if (was === null || is === null) return 'unknown';
  if (was === is) return is ? 'still_blocked' : 'still_allowed';
  return is ? 'newly_blocked' : 'newly_allowed';
};

/** A guest whose firewall is off. */
const unfiltered = (id: string): GuestContext => {
  const { state, nic } = randomGuest(1);
  return buildGuest(id, { ...state, guest: { ...state.guest, options: { enable: 0 } } }, nic);
};

type Pairs = { readonly client: ContextPair; readonly server: ContextPair };
const replayIn = ({ client, server }: Pairs) =>
  createReplayer({ pairOf: (id) => (id === CLIENT ? client : server), addressesOf: () => [] });

/** Two guests, of which one or both change. */
function randomPairs(seed: number): Pairs {
  const random = randomSource(seed);
  const buildPair = (id: string, at: number): ContextPair => {
    const { state, nic } = randomGuest(seed * 2 + at);
    const before = buildGuest(id, state, nic);
    // Two ends that both block most leave nothing that could change.
    if (random() < 0.4) return { before: unfiltered(id), after: unfiltered(id) };
    if (random() < 0.3) return { before, after: before };
    return { before, after: buildGuest(id, randomChange(state, random), randomNicChange(nic, random)) };
  };
  return { client: buildPair(CLIENT, 0), server: buildPair(SERVER, 1) };
}

const ERRORS: Readonly<Record<number, readonly number[]>> = { 1: [3, 4, 5, 11, 12], 58: [1, 2, 3, 4] };
const RULESETS = getRunCount(12, 200);
const PACKETS = getRunCount(300, 10_000);

describe('replayer', () => {
  it('finds for every conversation what the evaluator says at both ends', () => {
    const seen = { newly_blocked: 0, newly_allowed: 0, still_blocked: 0, still_allowed: 0, unknown: 0 };
    let tried = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e8 }), (seed) => {
        const random = randomSource(seed + 9);
        const pairs = randomPairs(seed);
        const replay = replayIn(pairs);
        const ends = [pairs.client, pairs.server];
        for (let left = PACKETS; left > 0; ) {
          for (const family of [4, 6] as const) {
            for (const packet of packetsToTry(smallSpace(random, family), 'in', random, 150)) {
              left -= 1;
              // An error belongs to a conversation that exists; 0 is no protocol of a flow.
              if (packet.protocol === 0 || ERRORS[packet.protocol]?.includes(packet.icmp_type ?? -1)) continue;
              const [was, is] = (['before', 'after'] as const).map((at) =>
                isBlocked(
                  ends.map((pair) => pair[at]),
                  packet,
                ),
              ) as [boolean | null, boolean | null];
              const flow = toConversation(packet);
              const isIcmp = packet.icmp_type !== undefined;
              const found = replay(isIcmp || random() < 0.5 ? flow : turned(flow));
              if (found?.outcome !== expected(was, is)) expect({ packet, found }).toEqual({ was, is });
              seen[expected(was, is)] += 1;
              tried += 1;
            }
          }
        }
      }),
      { numRuns: RULESETS, ...(RULESETS < 200 && { seed: 17 }) },
    );
    expect(tried).toBeGreaterThan(RULESETS * PACKETS * 0.5);
    // One that never occurs is not tested.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(RULESETS);
  });

  it('claims of what is known by its prefix only what holds for every address and port', () => {
    const seen = { definite: 0, unknown: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e8 }), (seed) => {
        const random = randomSource(seed + 5);
        const pairs = randomPairs(seed);
        const replay = replayIn(pairs);
        const pick = (values: readonly number[]) => values[Math.floor(random() * values.length)] ?? 0;
        for (let n = 0; n < 20; n++) {
          const [from, to] = [pick([0, 4, 8, 252]), pick([0, 4, 8])];
          const port = pick([22, 43, 53, 80, 443, 8006]);
          const flow: ObservedConversation = {
            ...BASE,
            ...{ source_ip: null, destination_ip: null, source_port: null, destination_port: port, service_port: port },
            ...{ source_prefix: `10.0.0.${from}/30`, destination_prefix: `10.0.0.${to}/30` },
          };
          const found = replay(flow);
          const packets = [0, 1, 2, 3].flatMap((a) =>
            [0, 1, 2, 3].flatMap((b) =>
              [0, 20, 53, 67, 137, 1024, 40_000, 65_535].map((source_port): Packet => {
                const [source, destination] = [parseIp(`10.0.0.${from + a}`), parseIp(`10.0.0.${to + b}`)];
                if (!source || !destination) throw new Error('expected addresses');
                return { direction: 'in', source, destination, protocol: 6, source_port, destination_port: port };
              }),
            ),
          );
          if (found?.outcome === 'unknown') {
            expect(found.unknown_reason).not.toBeNull();
            seen.unknown += 1;
            continue;
          }
          seen.definite += 1;
          const ends = [pairs.client, pairs.server];
          // A node drops packets from broadcast addresses, which no host sends from.
          const guests = ends.flatMap(({ before, after }) => [before, after]);
          const filters = guests.flatMap((guest) => guest?.interfaces?.flatMap(({ live }) => live.filters) ?? []);
          const never = new Set(filters.flatMap(({ node }) => node.broadcasts ?? []));
          const hosts = packets.filter(({ source: { value } }) => !never.has(value) && (value & 0xffn) !== 0xffn);
          for (const packet of hosts) {
            const [was, is] = (['before', 'after'] as const).map((at) =>
              isBlocked(
                ends.map((pair) => pair[at]),
                packet,
              ),
            ) as [boolean | null, boolean | null];
            if (found?.outcome !== expected(was, is)) expect({ packet, found }).toEqual({ was, is });
          }
        }
      }),
      { numRuns: getRunCount(40, 1_000), ...(getRunCount(0, 1) === 0 && { seed: 17 }) },
    );
    expect(Math.min(seen.definite, seen.unknown)).toBeGreaterThan(50);
  });
});

type Rule = Partial<LiveRule>;
const NIC: LiveNic = { name: 'net0', firewall: true, mac: null };
const filtered = (id: string, rules: readonly Rule[], guest: Partial<LiveState['guest']> = {}, node = PLAIN_NODE) =>
  buildGuest(
    id,
    {
      node,
      cluster: { firewall_enabled: true, aliases: {}, ipsets: {}, groups: {} },
      guest: {
        options: { enable: 1 },
        rules: rules.map((rule, pos): LiveRule => ({ type: 'in', action: 'ACCEPT', enable: 1, ...rule, pos })),
        ...{ aliases: {}, ipsets: {}, ...guest },
      },
    },
    NIC,
  );
const web = { proto: 'tcp', dport: '443' };
const open = filtered(CLIENT, []);

describe('a conversation', () => {
  const outcome = (pairs: Pairs, flow: Partial<ObservedConversation> = {}) => replayIn(pairs)({ ...BASE, ...flow });

  it('becomes blocked by the end that blocks it, and names what decided there before', () => {
    const server = { before: filtered(SERVER, [web]), after: filtered(SERVER, []) };
    expect(outcome({ client: { before: open, after: open }, server })).toMatchObject({
      outcome: 'newly_blocked',
      before: { workload_id: SERVER, verdict: 'accept', by: { kind: 'rule', position: 0 } },
      after: { workload_id: SERVER, verdict: 'drop', by: { kind: 'default' } },
    });
  });

  it('stays blocked whatever one end does while the other blocks it, also when the first is unknown', () => {
    const server = { before: filtered(SERVER, []), after: filtered(SERVER, []) };
    const client = { before: null, after: null };
    expect(outcome({ client, server })).toMatchObject({ outcome: 'still_blocked', unknown_reason: null });
    expect(
      outcome({ client, server: { before: filtered(SERVER, [web]), after: filtered(SERVER, [web]) } }),
    ).toMatchObject({
      outcome: 'unknown',
      unknown_reason: 'unreadable',
    });
  });

  it('stays unknown where a rule splits the prefix, and not where a rule holds for all of it', () => {
    const prefix = { source_ip: null, source_prefix: '10.0.1.0/24', source_workload_id: null, source_port: null };
    const narrowedTo = (source: string) => ({
      client: { before: open, after: open },
      server: { before: filtered(SERVER, [web]), after: filtered(SERVER, [{ ...web, source }]) },
    });
    expect(outcome(narrowedTo('10.0.1.0/25'), prefix)).toMatchObject({
      outcome: 'unknown',
      unknown_reason: 'prefix_split',
    });
    expect(outcome(narrowedTo('10.0.0.0/16'), prefix)).toMatchObject({ outcome: 'still_allowed' });
    expect(outcome(narrowedTo('10.9.0.0/16'), prefix)).toMatchObject({ outcome: 'newly_blocked' });
  });

  it('ignores senders that no host is, whose packets nodes drop in front of all rules', () => {
    const server = filtered(SERVER, [web], {}, { ...PLAIN_NODE, networks: ['10.0.1.0/24'] });
    const prefix = { source_ip: null, source_prefix: '10.0.1.0/24', source_workload_id: null };
    const pairs = { client: { before: open, after: open }, server: { before: server, after: server } };
    expect(outcome(pairs, prefix)).toMatchObject({ outcome: 'still_allowed' });
  });

  it('stays unknown where the answer depends on a port or type that is not stored', () => {
    const server = { before: filtered(SERVER, [web]), after: filtered(SERVER, [{ ...web, sport: '1:1000' }]) };
    expect(outcome({ client: { before: open, after: open }, server }, { source_port: null })).toMatchObject({
      outcome: 'unknown',
      unknown_reason: 'not_stored',
    });
  });

  it('counts with two possible openings only where both are treated alike', () => {
    const ports = { source_port: 40_000, destination_port: 50_000, service_port: null, initiator: null };
    const high = { proto: 'tcp', dport: '40000' };
    const server = { before: filtered(SERVER, []), after: filtered(SERVER, [high]) };
    expect(outcome({ client: { before: open, after: open }, server }, ports)).toMatchObject({ outcome: 'unknown' });
  });
});

describe('distinguishesCallers', () => {
  it('returns true where a rule names some of the ports that systems give to callers', () => {
    expect(distinguishesCallers([{ sport: '40000' }])).toBe(true);
    expect(distinguishesCallers([{ sport: '1024:50000' }])).toBe(true);
    expect(distinguishesCallers([{ sport: '1024:65535' }, { sport: '53' }, {}])).toBe(false);
  });
});
