import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { evaluateEnforcement } from './enforcement';
import { evaluate } from './evaluate';
import { evaluateNode } from './evaluate-node';
import { computeProtection } from './explain-protection';
import type { LiveCluster, LiveNode, LiveRule, LiveState } from './live-state';
import { prepareGuest } from './prepare-guest';
import { prepareNodeFilter } from './prepare-node-filter';
import { PLAIN_NODE } from './random-state.fixture';
import { findRefusedMember } from './refused-group';

const rule = (fields: Partial<LiveRule>): LiveRule => ({ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, ...fields });
const nic = (name = 'net0') => ({ name, firewall: true, mac: '02:00:00:00:00:01' });
const packet = (family: 4 | 6, direction: 'in' | 'out' = 'in') => ({
  direction,
  source: parseIp(family === 4 ? '192.0.2.1' : '2001:db8::1') ?? { family, value: 0n },
  destination: parseIp(family === 4 ? '10.0.0.9' : 'fd00::9') ?? { family, value: 0n },
  protocol: 6,
  source_port: 40000,
  destination_port: 80,
});
const cluster = (member: Partial<LiveRule>, more: Partial<LiveCluster> = {}): LiveCluster => ({
  firewall_enabled: true,
  groups: { shared: [rule({ proto: 'tcp', dport: '22' }), rule({ pos: 1, ...member })] },
  ipsets: { peers: [{ cidr: '10.0.0.1' }] },
  aliases: { web: '10.0.0.2' },
  ...more,
});
const state = (
  member: Partial<LiveRule>,
  reference: Partial<LiveRule> = {},
  node: LiveNode = PLAIN_NODE,
): LiveState => ({
  cluster: cluster(member),
  guest: {
    options: { enable: 1, macfilter: 1 },
    rules: [rule({ proto: 'tcp', dport: '25' }), rule({ pos: 1, type: 'group', action: 'shared', ...reference })],
    ipsets: {},
    aliases: {},
  },
  node,
});
const decide = (live: LiveState, family: 4 | 6, direction: 'in' | 'out' = 'in', name = 'net0') =>
  evaluate(prepareGuest(live, nic(name)), packet(family, direction));
const ALIAS = { source: 'guest/web' };
const UNKNOWN = { verdict: 'unknown', decided_by: { kind: 'unknown', reason: 'group_cannot_compile' } };

describe('findRefusedMember', () => {
  it.each<[Partial<LiveRule>, 4 | 6, boolean]>([
    [ALIAS, 4, true],
    [ALIAS, 6, true],
    [{ ...ALIAS, proto: 'icmp' }, 6, false],
    [{ ...ALIAS, dest: 'fd00::1' }, 4, false],
    [{ dest: '+guest/peers' }, 4, true],
    [{ dest: '+sdn/peers' }, 4, true],
    [{ dest: '+sdn/all' }, 4, false],
    [{ dest: '+dc/all' }, 4, true],
    [{ dest: '+dc/peers' }, 4, false],
    [{ source: 'dc/web' }, 4, false],
    [{ proto: 'ipv6-icmp', dport: 'echo-request' }, 6, true],
    [{ proto: 'ipv6-icmp', dport: 'echo-request' }, 4, false],
    [{ proto: 'icmpv6', dport: 'echo-request' }, 6, false],
    [{ proto: 'icmp', dport: 'packet-too-big' }, 4, true],
    [{ proto: 'icmp', dport: 'ssh' }, 4, true],
    [{ proto: 'icmp', dport: '255' }, 4, false],
    [{ proto: 'icmp', dport: '256' }, 4, true],
    [{ ...ALIAS, enable: 0 }, 4, false],
    [{ ...ALIAS, errors: { source: 'no such alias' } }, 4, false],
    [{ ...ALIAS, type: 'forward' }, 4, false],
  ])('finds the rule at which the compiler fails: %j, IPv%i: %s', (member, family, refused) => {
    const objects = cluster({});
    expect(findRefusedMember([rule({ pos: 7, ...member })], family, objects)).toBe(refused ? 7 : null);
  });
});

it.each<[Partial<LiveRule>, 4 | 6, string]>([
  [{ proto: 'ipv6-icmp', dport: 'echo-request' }, 6, 'drop'],
  [{ proto: 'ipv6-icmp', 'icmp-type': 'echo-request' }, 6, 'accept'],
  [{ proto: 'icmpv6', dport: 'echo-request' }, 6, 'accept'],
  [{ proto: 'icmp', dport: 'echo-request' }, 4, 'accept'],
  [{ proto: 'icmp', dport: 'ssh' }, 4, 'drop'],
])('skips a rule of a guest that iptables cannot load: %j, IPv%i: %s', (fields, family, expected) => {
  const live = state({});
  const guest = prepareGuest({ ...live, guest: { ...live.guest, rules: [rule(fields)] } }, nic());
  const ping = { protocol: family === 4 ? 1 : 58, icmp_type: family === 4 ? 8 : 128, icmp_code: 0 };
  expect(evaluate(guest, { ...packet(family), ...ping }).verdict).toBe(expected);
});

describe('a guest with a PVE security group that iptables cannot compile', () => {
  it('has unknown verdicts and an unknown protection, and the verdict names the rule', () => {
    const live = state(ALIAS);
    for (const family of [4, 6] as const) expect(decide(live, family)).toMatchObject(UNKNOWN);
    expect(decide(live, 4).decided_by).toMatchObject({
      places: [{ position: 1, group: 'shared', group_position: 1 }, {}],
    });
    expect(evaluateEnforcement(live, nic())).toEqual({ status: 'unknown', reasons: ['group_cannot_compile'] });
    expect(computeProtection(live, nic())).toBe('unknown');
  });

  it('has unknown verdicts in the family of the rule only', () => {
    const live = state({ proto: 'ipv6-icmp', dport: 'echo-request' });
    expect(decide(live, 4).verdict).toBe('drop');
    expect(decide(live, 6)).toMatchObject(UNKNOWN);
  });

  it('has certain verdicts where its chain accepts, and unknown ones where its own filters drop', () => {
    const live = state(ALIAS);
    const guest = prepareGuest(live, nic());
    expect(evaluate(guest, { ...packet(4), destination_port: 25 }).verdict).toBe('accept');
    const spoofed = { ...packet(4, 'out'), source_mac: '02:00:00:00:00:99' };
    expect(evaluate(guest, spoofed)).toMatchObject(UNKNOWN);
  });

  it('has certain verdicts on interfaces before the one with the group', () => {
    const live = state(ALIAS, { iface: 'net1' });
    expect(decide(live, 4, 'in', 'net0').verdict).toBe('drop');
    for (const name of ['net1', 'net2']) expect(decide(live, 4, 'in', name)).toMatchObject(UNKNOWN);
  });

  it('has certain verdicts with nftables, which leaves out the rule', () => {
    const node = { ...PLAIN_NODE, options: { nftables: 1 } };
    expect(decide(state(ALIAS, {}, node), 4).verdict).toBe('drop');
    expect(evaluateEnforcement(state(ALIAS, {}, node), nic())).toEqual({ status: 'on' });
  });
});

it('makes the verdict of a node unknown where a rule of it refers to the group', () => {
  const rules = [rule({ type: 'group', action: 'shared' })];
  const live = cluster(ALIAS, { rules: [], options: {}, nodes: { a: { ...PLAIN_NODE, rules } } });
  expect(evaluateNode(prepareNodeFilter(live, 'a'), packet(4))).toMatchObject(UNKNOWN);
});
