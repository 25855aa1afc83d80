import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../../firewall/evaluate';
import type { LiveRule, LiveSetEntry } from '../../firewall/live-state';
import { PLAIN_NODE, randomPacket, randomSource } from '../../firewall/random-state.fixture';
import type { RulePlace, Verdict } from '../../firewall/verdict';
import {
  type DormantItem,
  type DormantSubject,
  findDormantContent,
  newlyFiltered,
  prepareAfter,
  statesAfter,
} from './dormant';
import type { GuestFilter, GuestIntent } from './guest-filter';
import { computeLayout } from './layout';
import { randomDormant } from './random-dormant.fixture';
import { PACKETS } from './random-guest.fixture';

const OPTION_OF: Record<string, string> = {
  dhcp: 'dhcp',
  dhcp_blocked: 'dhcp',
  ndp: 'ndp',
  ndp_blocked: 'ndp',
  router_announced: 'radv',
  router_advertisement: 'radv',
  mac_filter: 'macfilter',
  ip_filter: 'ipfilter',
};

/** Whether an item with an effect is what decided, in the guest after the apply or in an otherwise empty one. */
function isExplained(
  items: readonly DormantItem[],
  subject: DormantSubject,
  nic: string,
  packet: { direction: 'in' | 'out' },
  verdicts: readonly [Verdict, Verdict],
): boolean {
  const { slots } = computeLayout(subject.filter.rules, subject.intent);
  const named = items.filter(({ interfaces, effect }) => interfaces.includes(nic) && effect !== 'none');
  const has = (kind: DormantItem['kind'], name: string) =>
    named.some((item) => item.kind === kind && item.name === name);
  const hasRule = ({ position }: RulePlace) => {
    const slot = slots[position];
    return slot?.kind === 'anchor' && named.some(({ rule }) => rule === slot.rule);
  };
  const hasFilter = () => has('set', `ipfilter-${nic}`) || has('option', 'ipfilter');
  const policy = packet.direction === 'in' ? 'policy_in' : 'policy_out';
  const [after, empty] = verdicts.map(({ decided_by: by }, index) => {
    switch (by.kind) {
      case 'rule':
        return index === 0 && hasRule(by);
      case 'builtin':
        return by.name === 'ip_filter' ? hasFilter() : has('option', OPTION_OF[by.name] ?? policy);
      case 'default':
        return index === 0 && has('option', policy);
      case 'unknown':
        // Something that may match is evaluated before what would decide.
        return (
          index === 0 &&
          (by.places.some(hasRule) ||
            named.some(({ rule, effect }) => rule && (effect === 'unknown' || effect === 'cuts')) ||
            hasFilter() ||
            ['ips', 'radv', policy].some((name) => has('option', name)))
        );
      default:
        return false;
    }
  });
  return Boolean(after || empty);
}

describe('dormant content', () => {
  it('explains every verdict that differs from what the managed rules alone would decide', () => {
    let differing = 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 30 }), (seed) => {
        const subject = randomDormant(seed);
        const items = findDormantContent(subject);
        const { after, empty } = statesAfter(subject.filter, subject.intent);
        const random = randomSource(seed + 1);
        const packets = [
          ...PACKETS.filter((_, i) => (i + seed) % 4 === 0),
          ...Array.from({ length: 150 }, () => randomPacket(random)),
        ];
        for (const name of newlyFiltered(subject.filter, after)) {
          const nic = subject.nics.find((candidate) => candidate.name === name);
          if (!nic) throw new Error(`no interface ${name}`);
          const [full, alone] = [prepareAfter(subject, after, nic), prepareAfter(subject, empty, nic)];
          for (const packet of packets) {
            const verdicts = [evaluate(full, packet), evaluate(alone, packet)] as const;
            if (verdicts[0].verdict === verdicts[1].verdict) continue;
            // Real packets have all fields.
            if (verdicts.some(({ decided_by: by }) => by.kind === 'unknown' && by.reason === 'unknown_packet_detail'))
              continue;
            differing += 1;
            if (!isExplained(items, subject, name, packet, verdicts)) {
              throw new Error(
                `${name} ${JSON.stringify([packet, verdicts, items, after.rules], (_, v) => (typeof v === 'bigint' ? String(v) : v))}`,
              );
            }
          }
        }
      }),
      // The first: a rule about any type of ICMP, behind one that accepts echo requests.
      { numRuns: getRunCount(50, 120), examples: [[601027729]] },
    );
    // 2,400 in a run, give or take 550.
    expect(differing).toBeGreaterThan(200);
  });

  it('names every enabled rule, ipfilter set and option stored where a filter is switched on', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 30 }), (seed) => {
        const subject = randomDormant(seed);
        const items = findDormantContent(subject);
        const { after } = statesAfter(subject.filter, subject.intent);
        const names = newlyFiltered(subject.filter, after);
        const { slots } = computeLayout(subject.filter.rules, subject.intent);
        const expected = slots.flatMap((slot) => {
          if (slot.kind !== 'anchor') return [];
          const { rule } = slot;
          const counts = rule.enable && !rule.errors && ['in', 'out', 'group'].includes(rule.type);
          return counts && names.some((name) => !rule.iface || rule.iface === name) ? [rule] : [];
        });
        expect(items.flatMap(({ rule }) => (rule ? [rule] : []))).toEqual(expected);
        const sets = names.map((name) => `ipfilter-${name}`).filter((name) => subject.filter.sets[name]);
        expect(items.filter(({ kind }) => kind === 'set').map(({ name }) => name)).toEqual(sets);
        if (names.length === 0) expect(items).toEqual([]);
      }),
      { numRuns: getRunCount(25, 60) },
    );
  });
});

const NIC = { name: 'net0', firewall: false, mac: '02:00:00:00:00:01' };
const intent: GuestIntent = {
  instance: 'inst1',
  vmid: 101,
  placement: 'above',
  scope: new Set(['p1']),
  rules: [
    {
      policy_id: 'p1',
      policy_version: 1,
      rule_position: 0,
      rule_hash: '00000000',
      content: { type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '80' },
      comment: '[fabric i=inst1 p=p1 v=1 r=00000000 g=101]',
    },
  ],
  sets: [],
  order: ['p1'],
  remove_strays: true,
  default_in: 'keep',
  default_out: 'keep',
  switch_on: true,
};

function dormantAt({
  rules = [],
  ...change
}: {
  rules?: Omit<LiveRule, 'pos'>[];
  options?: GuestFilter['options'];
  sets?: Record<string, LiveSetEntry[]>;
  addresses?: string[];
  goal?: Partial<GuestIntent>;
  node?: DormantSubject['node'];
}) {
  return findDormantContent({
    filter: {
      rules: rules.map((rule, pos) => ({ ...rule, pos })),
      options: change.options ?? {},
      sets: change.sets ?? {},
      nics: [{ name: 'net0', firewall: false, editable: true }],
    },
    intent: { ...intent, ...change.goal },
    cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} },
    aliases: {},
    nics: [NIC],
    node: change.node === undefined ? PLAIN_NODE : change.node,
    addresses: change.addresses ?? ['10.20.20.15'],
  });
}
const withoutMac = (items: DormantItem[]) => items.filter(({ name }) => name !== 'macfilter');

describe('a dormant item', () => {
  it('names a stored DROP rule that blocks traffic, with its position and text', () => {
    const items = dormantAt({
      rules: [
        { type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '22' },
        { type: 'in', action: 'DROP', enable: 1, proto: 'tcp', dport: '8081', comment: 'old block' },
        { type: 'in', action: 'DROP', enable: 0, proto: 'tcp', dport: '9' },
      ],
    });
    expect(withoutMac(items)).toMatchObject([
      { kind: 'rule', effect: 'none', severity: 'info' },
      {
        kind: 'rule',
        effect: 'cuts',
        severity: 'warning',
        interfaces: ['net0'],
        message:
          'The rule at position 1 (inbound DROP tcp port 8081, "old block") takes effect on net0. The rule blocks traffic that passes now.',
      },
    ]);
  });

  it('leaves out a rule that an earlier one shadows, unless it blocks', () => {
    const [first, second] = dormantAt({
      rules: [
        { type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '8000:9000' },
        { type: 'in', action: 'DROP', enable: 1, proto: 'tcp', dport: '8081' },
      ],
    });
    expect([first?.effect, second?.effect]).toEqual(['none', 'none']);
  });

  it('names an ipfilter set without the address of the workload, which blocks all its traffic', () => {
    const items = dormantAt({ sets: { 'ipfilter-net0': [{ cidr: '10.99.0.0/24' }] } });
    expect(withoutMac(items)).toMatchObject([
      {
        kind: 'set',
        name: 'ipfilter-net0',
        value: '10.99.0.0/24',
        severity: 'critical',
        message: expect.stringContaining(
          'It does not contain 10.20.20.15, which the workload uses. This blocks all traffic',
        ),
      },
    ]);
    const [holding] = withoutMac(dormantAt({ sets: { 'ipfilter-net0': [{ cidr: '10.20.20.0/24' }] } }));
    expect(holding).toMatchObject({ kind: 'set', severity: 'info' });
    const [unknown] = withoutMac(dormantAt({ sets: { 'ipfilter-net0': [] }, addresses: [] }));
    expect(unknown).toMatchObject({ severity: 'warning', message: expect.stringContaining('It is empty.') });
  });

  it('returns unknown where the node may use either implementation and both differ', () => {
    const sets = { 'ipfilter-net0': [{ cidr: '10.99.0.0/24' }] };
    const nftables = { ...PLAIN_NODE, options: { nftables: 1 } };
    const effects = (
      node: DormantSubject['node'],
      options: GuestFilter['options'],
      rules: Omit<LiveRule, 'pos'>[] = [],
    ) =>
      dormantAt({ node, sets, options, rules })
        .filter(({ kind, name }) => kind !== 'rule' && name !== 'macfilter')
        .map(({ name, effect, severity }) => [name, effect, severity]);
    const set = 'ipfilter-net0';
    expect(effects(PLAIN_NODE, { dhcp: 0 })).toEqual([
      [set, 'cuts', 'critical'],
      ['dhcp', 'none', 'info'],
    ]);
    expect(effects(nftables, { dhcp: 0 })).toEqual([
      [set, 'none', 'info'],
      ['dhcp', 'cuts', 'warning'],
    ]);
    expect(effects(null, { dhcp: 0 })).toEqual([
      [set, 'unknown', 'warning'],
      ['dhcp', 'unknown', 'warning'],
    ]);
    expect(effects(null, { dhcp: 0, ipfilter: 1 }, [{ type: 'in', action: 'DROP', enable: 1, proto: 'udp' }])).toEqual([
      [set, 'cuts', 'critical'],
      ['dhcp', 'cuts', 'warning'],
    ]);
    const [item] = dormantAt({ node: null, sets });
    expect(item?.message).toContain('takes effect on net0 if the node uses iptables, which is not known');
  });

  it('names an option whose stored value filters, and the MAC filter that is on by default', () => {
    const items = dormantAt({ options: { ipfilter: 1, dhcp: 0, radv: 1, policy_out: 'DROP', macfilter: 1 } });
    expect(items.map(({ name, effect, severity, stored }) => [name, effect, severity, stored])).toEqual([
      ['dhcp', 'none', 'info', true],
      ['radv', 'allows', 'warning', true],
      ['macfilter', 'cuts', 'info', true],
      ['ipfilter', 'cuts', 'critical', true],
    ]);
    expect(dormantAt({})).toMatchObject([{ name: 'macfilter', stored: false, value: '1' }]);
  });

  it('names a stored default policy that stays when only the flag of an interface is turned on', () => {
    const items = dormantAt({ options: { enable: 1, policy_in: 'DROP', policy_out: 'REJECT', dhcp: 0 } });
    expect(items.map(({ name, effect, severity }) => [name, effect, severity])).toEqual([
      ['policy_in', 'cuts', 'critical'],
      ['policy_out', 'cuts', 'critical'],
      ['dhcp', 'cuts', 'warning'],
      ['macfilter', 'cuts', 'info'],
    ]);
  });

  it('names an ACCEPT rule that stays open although the policy requires a drop', () => {
    const [item] = dormantAt({
      rules: [{ type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '8081' }],
      goal: { default_in: 'drop' },
    });
    expect(item).toMatchObject({ effect: 'allows', severity: 'warning' });
  });
});
