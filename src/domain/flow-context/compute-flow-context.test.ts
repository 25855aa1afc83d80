import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../firewall/evaluate';
import type { LiveNic, LiveRule, LiveState } from '../firewall/live-state';
import type { Packet } from '../firewall/packet';
import { prepareGuest } from '../firewall/prepare-guest';
import { PLAIN_NODE, RANDOM_NIC, randomPacket, randomSource, randomState } from '../firewall/random-state.fixture';
import { formatIp } from '../net/ip-address';
import type { DesiredGuest } from '../policy/desired';
import { type AuditPolicy, prepareAuditPolicy } from './audit-policy';
import { computeFlowContext } from './compute-flow-context';
import type { FlowFacts } from './flow-context';
import { prepareGuestContext } from './guest-context';

const ME = 'guest';
const NIC: LiveNic = { name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' };
type Rule = Partial<LiveRule>;
type Given = {
  options?: LiveState['guest']['options'];
  cluster?: Partial<LiveState['cluster']>;
  nics?: readonly LiveNic[] | null;
  audit?: AuditPolicy[];
};

function buildGuest(rules: Rule[] | null, { options = { enable: 1 }, cluster, nics = [NIC], audit = [] }: Given = {}) {
  const state: LiveState = {
    cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, ...cluster },
    guest: {
      options,
      rules: rules?.map((rule, pos) => ({ pos, type: 'in', action: 'ACCEPT', enable: 1, ...rule })) ?? null,
      ipsets: {},
      aliases: {},
    },
    node: PLAIN_NODE,
  };
  return prepareGuestContext({ workload_id: ME, state, nics, audit });
}

/** A policy in audit mode with these rules; `drop` for a default that drops inbound. */
function audited(policy_id: string, rules: { action: string; dport: string }[], drop = false): AuditPolicy {
  const expected: DesiredGuest = {
    cluster_id: 'c',
    workload_id: ME,
    vmid: 100,
    rules: rules.map((rule, at) => ({
      policy_id,
      policy_version: 1,
      rule_position: at,
      rule_hash: `${policy_id}-${at}`,
      content: { type: 'in', proto: 'tcp', ...rule } as DesiredGuest['rules'][number]['content'],
      comment: '',
    })),
    sets: [],
    drop_in: drop ? [policy_id] : [],
    drop_out: [],
  };
  return prepareAuditPolicy({ id: policy_id, tenant_id: null }, expected);
}

/** A host outside connected to port 22 of the guest. */
const flow = (change: Partial<FlowFacts> = {}): FlowFacts => ({
  source_ip: '192.0.2.1',
  destination_ip: '10.0.0.9',
  protocol: 'tcp',
  source_port: 40000,
  destination_port: 22,
  decision: 'observed',
  workload_id: ME,
  nic: 0,
  ...change,
});
const IPIP = { protocol: 'ipip', source_port: null, destination_port: null };
const SSH: Rule = { proto: 'tcp', dport: '22' };

describe('the decision', () => {
  const cases: [string, ReturnType<typeof buildGuest>, Partial<FlowFacts>, string][] = [
    ['a rule that accepts', buildGuest([SSH]), {}, 'accept'],
    ['a rule that drops', buildGuest([{ ...SSH, action: 'DROP' }]), {}, 'drop'],
    ['a rule that rejects', buildGuest([{ ...SSH, action: 'REJECT' }]), {}, 'reject'],
    ['the default that drops', buildGuest([]), {}, 'default_drop'],
    ['the default that rejects', buildGuest([], { options: { enable: 1, policy_in: 'REJECT' } }), {}, 'default_drop'],
    ['the default that accepts', buildGuest([], { options: { enable: 1, policy_in: 'ACCEPT' } }), {}, 'default_accept'],
    [
      'a rule of the hypervisor itself',
      buildGuest([]),
      { protocol: 'udp', source_port: 67, destination_port: 68 },
      'default_accept',
    ],
    ['nothing: the guest does not filter', buildGuest([SSH], { options: {} }), {}, 'observed'],
    [
      'nothing: the cluster does not filter',
      buildGuest([SSH], { cluster: { firewall_enabled: false } }),
      {},
      'observed',
    ],
    ['nothing: the rules are not known', buildGuest(null), {}, 'observed'],
    ['nothing: the options are not known', buildGuest([SSH], { options: null }), {}, 'observed'],
    ['nothing: the protocol is not known', buildGuest([SSH]), { protocol: 'what' }, 'observed'],
    ['a rule for the protocol that agents name ipip', buildGuest([{ proto: 'ipencap' }]), IPIP, 'accept'],
    ['no rule for what only Debian names ipip', buildGuest([{ proto: 'ipip' }]), IPIP, 'default_drop'],
    ['a log line', buildGuest([SSH]), { decision: 'reject' }, 'reject'],
    [
      'a rule before a policy in audit mode',
      buildGuest([SSH], { audit: [audited('p', [{ action: 'DROP', dport: '22' }])] }),
      {},
      'accept',
    ],
    [
      'a policy in audit mode before the default',
      buildGuest([], { audit: [audited('p', [{ action: 'ACCEPT', dport: '22' }])] }),
      {},
      'audit_accept',
    ],
    [
      'a policy in audit mode where nothing filters',
      buildGuest([], { options: {}, audit: [audited('p', [{ action: 'REJECT', dport: '22' }])] }),
      {},
      'audit_reject',
    ],
    [
      'the first of two policies in audit mode',
      buildGuest([], {
        options: {},
        audit: [audited('a', [{ action: 'DROP', dport: '22' }]), audited('b', [{ action: 'ACCEPT', dport: '22' }])],
      }),
      {},
      'audit_drop',
    ],
    [
      'no policy in audit mode whose rules say nothing',
      buildGuest([], { options: {}, audit: [audited('p', [{ action: 'DROP', dport: '80' }])] }),
      {},
      'observed',
    ],
    [
      'a policy in audit mode whose default would drop',
      buildGuest([], { options: {}, audit: [audited('p', [], true)] }),
      {},
      'audit_drop',
    ],
    [
      'a rule of one audited policy before the default of another',
      buildGuest([], {
        options: {},
        audit: [audited('a', [], true), audited('b', [{ action: 'ACCEPT', dport: '22' }])],
      }),
      {},
      'audit_accept',
    ],
    [
      'the default in force before one that audit would bring',
      buildGuest([], { audit: [audited('p', [], true)] }),
      {},
      'default_drop',
    ],
  ];
  for (const [what, guest, change, decision] of cases) {
    it(`comes from ${what}`, () =>
      expect(computeFlowContext(guest, flow(change), 'destination').decision).toBe(decision));
  }

  it('names the rule, and keeps the reason when nothing decides', () => {
    expect(
      computeFlowContext(
        buildGuest([{}, SSH].map((rule, at) => (at === 0 ? { ...SSH, dport: '80' } : rule))),
        flow(),
        'destination',
      ),
    ).toMatchObject({
      decided_by: { kind: 'rule', position: 1 },
      direction: 'in',
    });
    const off = computeFlowContext(buildGuest([SSH], { options: {} }), flow(), 'destination');
    expect(off).toMatchObject({
      verdict: 'accept',
      decided_by: { kind: 'not_enforced', reason: 'guest_firewall_off' },
    });
    expect(computeFlowContext(buildGuest(null), flow(), 'destination').decided_by).toMatchObject({
      reason: 'unknown_guest_rules',
    });
  });

  it('names the rules of policies in audit mode by position and hash', () => {
    const guest = buildGuest([], {
      audit: [
        audited('p', [
          { action: 'DROP', dport: '80' },
          { action: 'DROP', dport: '22' },
        ]),
      ],
    });
    expect(computeFlowContext(guest, flow(), 'destination').audit).toEqual([
      { policy_id: 'p', verdict: 'drop', by: 'rule', rule_position: 1, rule_hash: 'p-1' },
    ]);
  });
});

describe('the evaluated packet', () => {
  const guest = buildGuest([SSH]);

  it('opens the conversation, whatever the direction of the flow', () => {
    const answer = { source_ip: '10.0.0.9', destination_ip: '192.0.2.1', source_port: 22, destination_port: 40000 };
    expect(computeFlowContext(guest, flow(answer), 'source')).toMatchObject({ decision: 'accept', direction: 'in' });
    expect(computeFlowContext(guest, flow({ ...answer, initiator: 'source' }), 'source')).toMatchObject({
      decision: 'default_accept',
      direction: 'out',
    });
    expect(computeFlowContext(guest, flow({ initiator: 'destination' }), 'destination')).toMatchObject({
      direction: 'out',
    });
  });

  it('uses the ICMP request, not the reply', () => {
    const pinged = buildGuest([{ proto: 'icmp', 'icmp-type': 'echo-request' }]);
    const ping = { protocol: 'icmp', source_port: null, destination_port: null, icmp_code: 0 };
    expect(computeFlowContext(pinged, flow({ ...ping, icmp_type: 8 }), 'destination').decision).toBe('accept');
    const answer = { ...ping, icmp_type: 0, source_ip: '10.0.0.9', destination_ip: '192.0.2.1' };
    expect(computeFlowContext(pinged, flow(answer), 'source')).toMatchObject({ decision: 'accept', direction: 'in' });
    // An error belongs to something, or is made up: the rules see two different packets.
    expect(computeFlowContext(pinged, flow({ ...ping, icmp_type: 3, icmp_code: 1 }), 'destination').decision).toBe(
      'observed',
    );
  });

  it('stays unknown between two ephemeral ports unless both directions have the same result', () => {
    const ports = { source_port: 40000, destination_port: 50000 };
    expect(computeFlowContext(guest, flow(ports), 'destination')).toMatchObject({
      decision: 'observed',
      direction: null,
      decided_by: { kind: 'unknown', reason: 'unknown_opening' },
    });
    const open = buildGuest([], { options: { enable: 1, policy_in: 'ACCEPT' } });
    expect(computeFlowContext(open, flow(ports), 'destination').decision).toBe('default_accept');
  });
});

describe('the interface', () => {
  const nics = [NIC, { ...NIC, name: 'net1' }];
  const rules = [{ ...SSH, iface: 'net1', action: 'DROP' }, SSH];

  it('equals the interface that saw the flow', () => {
    const guest = buildGuest(rules, { nics });
    expect(computeFlowContext(guest, flow({ nic: 0 }), 'destination').decision).toBe('accept');
    expect(computeFlowContext(guest, flow({ nic: 1 }), 'destination').decision).toBe('drop');
    expect(computeFlowContext(guest, flow({ nic: 2 }), 'destination').decided_by).toMatchObject({
      reason: 'unknown_interface',
    });
  });

  it('covers all interfaces when the flow was seen at another guest: all must agree', () => {
    const seenElsewhere = flow({ workload_id: 'other', nic: 1 });
    expect(computeFlowContext(buildGuest(rules, { nics }), seenElsewhere, 'destination')).toMatchObject({
      decision: 'observed',
      decided_by: { kind: 'unknown', reason: 'unknown_interface', places: [{ position: 1 }, { position: 0 }] },
    });
    expect(computeFlowContext(buildGuest([SSH], { nics }), seenElsewhere, 'destination').decision).toBe('accept');
    expect(computeFlowContext(buildGuest([SSH], { nics: [] }), seenElsewhere, 'destination').decision).toBe('observed');
  });

  it('may be unread when nothing depends on it', () => {
    const off = { nics: null, options: {} };
    expect(computeFlowContext(buildGuest(rules, off), flow({ nic: null }), 'destination').decided_by.kind).toBe(
      'not_enforced',
    );
    // Filtered or not, the packet passes.
    expect(computeFlowContext(buildGuest([SSH], { nics: null }), flow({ nic: null }), 'destination').decision).toBe(
      'accept',
    );
    expect(computeFlowContext(buildGuest(rules, { nics: null }), flow({ nic: null }), 'destination').decision).toBe(
      'observed',
    );
    expect(computeFlowContext(buildGuest([], { nics: null }), flow({ nic: null }), 'destination').decision).toBe(
      'observed',
    );
  });
});

describe('a conflict', () => {
  it('requires a log line of this guest that contradicts the rules', () => {
    const guest = buildGuest([SSH]);
    const conflict = (change: Partial<FlowFacts>, at = guest) =>
      computeFlowContext(at, flow(change), 'destination').conflict;
    expect(conflict({ decision: 'drop' })).toBe(true);
    expect(conflict({ decision: 'accept' })).toBe(false);
    expect(conflict({})).toBe(false);
    // The other end's rules dropped it; a reply is not the evaluated packet; what is unknown contradicts nothing.
    expect(conflict({ decision: 'drop', workload_id: 'other' })).toBe(false);
    expect(conflict({ decision: 'drop', initiator: 'destination' })).toBe(false);
    expect(conflict({ decision: 'drop' }, buildGuest(null))).toBe(false);
    expect(conflict({ decision: 'accept' }, buildGuest([], { options: { enable: 1, policy_in: 'ACCEPT' } }))).toBe(
      false,
    );
  });
});

const NAMES: Record<number, string> = { 1: 'icmp', 6: 'tcp', 17: 'udp', 58: 'icmpv6', 132: 'sctp' };

/** The flow that a packet opens, or its answer. */
function toFlow({ source, destination, ...packet }: Packet, answer: boolean): FlowFacts {
  const [from, to] = answer ? [destination, source] : [source, destination];
  const ports = [packet.source_port ?? null, packet.destination_port ?? null] as const;
  return {
    source_ip: formatIp(from),
    destination_ip: formatIp(to),
    protocol: NAMES[packet.protocol] ?? String(packet.protocol),
    source_port: ports[answer ? 1 : 0],
    destination_port: ports[answer ? 0 : 1],
    decision: 'observed',
    initiator: answer ? 'destination' : 'source',
    icmp_type: packet.icmp_type ?? null,
    icmp_code: packet.icmp_code ?? null,
  };
}

it('agrees with the evaluator about random rules and packets, asked and answered', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const state = randomState(seed);
      const guest = prepareGuestContext({ workload_id: ME, state, nics: [RANDOM_NIC], audit: [] });
      const prepared = prepareGuest(state, RANDOM_NIC);
      const random = randomSource(seed + 1);
      for (let count = 0; count < 400; count++) {
        const { tcp_syn: _, source_mac: __, state: ___, ...packet } = randomPacket(random);
        const answer = random() < 0.5;
        // What an answer's or an error's type says about the packet that opened is looked at above.
        const types =
          packet.protocol === 1 ? [undefined, 8] : packet.protocol === 58 ? [undefined, 128, 135] : [undefined];
        if (!types.includes(packet.icmp_type)) continue;
        const inbound = packet.direction === 'in';
        const end = inbound !== answer ? 'destination' : 'source';
        const expected = evaluate(prepared, packet);
        const context = computeFlowContext(guest, toFlow(packet, answer), end);
        const { verdict, decided_by, direction } = context;
        expect({ verdict, decided_by, direction }).toEqual({ ...expected, direction: packet.direction });
        const { kind } = expected.decided_by;
        const decision =
          expected.verdict === 'unknown'
            ? 'observed'
            : kind === 'rule'
              ? expected.verdict
              : kind === 'not_enforced'
                ? 'observed'
                : expected.verdict === 'accept'
                  ? 'default_accept'
                  : 'default_drop';
        expect(context.decision).toBe(decision);
        seen.set(decision, (seen.get(decision) ?? 0) + 1);
      }
    }),
    { numRuns: getRunCount(100, 250) },
  );
  for (const decision of ['accept', 'drop', 'reject', 'default_accept', 'default_drop', 'observed']) {
    // Each was compared. Rejects vary most, since few states have many of them: 65 to 800 in a run.
    expect(seen.get(decision) ?? 0, decision).toBeGreaterThan(10);
  }
});
