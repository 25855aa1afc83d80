import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PLAIN_NODE, RANDOM_NIC, randomSource, randomState } from '../firewall/random-state.fixture';
import { computeFlowContext } from '../flow-context/compute-flow-context';
import { prepareGuestContext } from '../flow-context/guest-context';
import { parseIp } from '../net/ip-address';
import type { Conversation } from './conversation-table';
import { EDGE_VERDICTS, type EdgeVerdict } from './edge-verdict';
import { combineEdges, createEndEvaluator, mayBeBroadcast, toEdgeVerdict } from './evaluate-conversation';

const OWN = '10.0.1.9';

const createConversation = (values: Partial<Conversation>): Conversation => ({
  source_workload_id: null,
  source_prefix: '10.0.0.0/29',
  source_internal: true,
  destination_workload_id: 'guest',
  destination_prefix: '10.0.1.0/24',
  destination_internal: true,
  protocol: 'tcp',
  port: 443,
  decision: 'observed',
  bytes: 1,
  packets: 1,
  flows: 1,
  last_seen_at: '2026-01-01T00:00:00.000Z',
  ...values,
});

const evaluatorFor = (seed: number, addresses: readonly string[]) => {
  const guest = prepareGuestContext({ workload_id: 'guest', state: randomState(seed), nics: [RANDOM_NIC], audit: [] });
  const evaluate = createEndEvaluator(guest, () => addresses.flatMap((text) => parseIp(text) ?? []));
  return { guest, evaluate };
};

it('claims what holds for every host of a prefix, and nothing else', () => {
  const seen: Partial<Record<EdgeVerdict, number>> = {};
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = randomSource(seed + 1);
      const { guest, evaluate } = evaluatorFor(seed, [OWN]);
      for (let count = 0; count < 20; count++) {
        const port = [22, 53, 80, 443, 5000, null][Math.floor(random() * 6)] ?? null;
        const protocol = random() < 0.7 ? 'tcp' : 'udp';
        const inbound = random() < 0.6;
        const turned = {
          source_workload_id: 'guest',
          source_prefix: '10.0.1.0/24',
          destination_workload_id: null,
          destination_prefix: '10.0.0.0/29',
        };
        const conversation = createConversation({ protocol, port, ...(inbound ? {} : turned) });
        // A host that sends has no broadcast address.
        const hosts = [0, 1, 2, 3, 4, 5, 6, 7].filter(
          (i) => !(inbound && mayBeBroadcast(guest, { family: 4, value: 0x0a000000n + BigInt(i) })),
        );
        const contexts = hosts.map((i) =>
          computeFlowContext(
            guest,
            {
              source_ip: inbound ? `10.0.0.${i}` : OWN,
              destination_ip: inbound ? OWN : `10.0.0.${i}`,
              protocol,
              source_port: null,
              destination_port: port,
              decision: 'observed',
              initiator: 'source',
            },
            inbound ? 'destination' : 'source',
          ),
        );
        const each = contexts.map(toEdgeVerdict);
        const [only] = new Set(each);
        const expected = only !== undefined && each.every((verdict) => verdict === only) ? only : 'observed';
        const { verdict: found, context } = evaluate(conversation, inbound ? 'destination' : 'source');
        expect({ seed, conversation, found }).toEqual({ seed, conversation, found: expected });
        // What the rules say about it is what they say about each host.
        const shown = new Set(contexts.map(({ verdict }) => verdict));
        expect(context.verdict).toBe(shown.size === 1 ? [...shown][0] : 'unknown');
        const mixed = new Set(each).size > 1;
        seen[mixed ? 'observed' : found] = (seen[mixed ? 'observed' : found] ?? 0) + 1;
      }
    }),
    { numRuns: 300 },
  );
  for (const verdict of ['accepted', 'dropped', 'default', 'observed'] as const) {
    expect(seen[verdict], verdict).toBeGreaterThan(50);
  }
});

it('looks at all addresses of a workload in the prefix, and at the whole prefix when it has none there', () => {
  const state = {
    cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
    guest: {
      options: { enable: 1, policy_in: 'DROP' },
      rules: [{ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, dest: '10.0.1.9' }],
      ipsets: {},
      aliases: {},
    },
    node: PLAIN_NODE,
  };
  const guest = prepareGuestContext({ workload_id: 'guest', state, nics: [RANDOM_NIC], audit: [] });
  const verdictWith = (...addresses: string[]) =>
    createEndEvaluator(guest, () => addresses.flatMap((text) => parseIp(text) ?? []))(
      createConversation({}),
      'destination',
    ).verdict;
  expect(verdictWith('10.0.1.9')).toBe('accepted');
  expect(verdictWith('10.0.1.10', '192.168.0.1')).toBe('dropped');
  expect(verdictWith('10.0.1.9', '10.0.1.10')).toBe('observed');
  expect(verdictWith('192.168.0.1')).toBe('observed');
});

it('believes the log, and shows the weightier end', () => {
  expect(combineEdges('drop', 'accepted')).toBe('dropped');
  expect(combineEdges('reject', 'accepted')).toBe('dropped');
  expect(combineEdges('accept', 'dropped', 'default')).toBe('accepted');
  expect(combineEdges('observed', 'accepted', 'dropped')).toBe('dropped');
  expect(combineEdges('observed')).toBe('observed');
});

it('claims nothing that passes while it is not known what becomes of it at one of its ends', () => {
  const ends = [...EDGE_VERDICTS, 'unknown', undefined] as const;
  for (const other of ends) {
    const isDenied = other === 'dropped' || other === 'would_drop';
    const shown = isDenied ? other : 'observed';
    expect([combineEdges('observed', 'unknown', other), combineEdges('observed', other, 'unknown')]).toEqual([
      shown,
      shown,
    ]);
    expect(combineEdges('accept', 'unknown', other)).toBe('accepted');
  }
});

it('shows what audited policies would do', () => {
  const by = { kind: 'default', policy: 'ACCEPT' } as const;
  const off = { kind: 'not_enforced', reason: 'nic_flag_off' } as const;
  const of = (decision: Parameters<typeof toEdgeVerdict>[0]['decision'], decided_by: typeof by | typeof off = by) =>
    toEdgeVerdict({ decision, verdict: 'accept', decided_by });
  expect([of('audit_drop'), of('audit_reject'), of('audit_accept'), of('audit_accept', off)]).toEqual([
    'would_drop',
    'would_drop',
    'default',
    'observed',
  ]);
});
