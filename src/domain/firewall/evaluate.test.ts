import vectors from '@fabric/simulator/vectors/firewall.json';
import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate';
import { buildState, type Change, ip, NFTABLES_NODE, NIC, packet, verdict } from './guest-state.fixture';
import type { LiveNode, LiveRule } from './live-state';
import type { Packet } from './packet';
import { prepareGuest } from './prepare-guest';
import { PLAIN_NODE } from './random-state.fixture';

const IP_FILTER = { kind: 'builtin', name: 'ip_filter' };
const nodeWith = (options: LiveNode['options'], networks = PLAIN_NODE.networks): LiveNode => ({
  options,
  networks,
  rules: [],
});
const SSH = { proto: 'tcp', dport: '22' };

describe('the decision', () => {
  it('names the first matching rule with its position', () => {
    const state = buildState([{ ...SSH, source: '192.0.2.9' }, { ...SSH, action: 'DROP' }, SSH]);
    expect(verdict(state)).toEqual({ verdict: 'drop', decided_by: { kind: 'rule', position: 1 } });
  });

  it('names a rule inside a group with both positions', () => {
    const members = [
      { pos: 0, type: 'out', action: 'DROP', enable: 1 },
      { pos: 1, type: 'in', action: 'ACCEPT', enable: 1, ...SSH },
    ];
    const state = buildState([{ type: 'group', action: 'web' }], { cluster: { groups: { web: members } } });
    expect(verdict(state).decided_by).toEqual({ kind: 'rule', position: 0, group: 'web', group_position: 1 });
    expect(verdict(state, { destination_port: 80 }).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
  });

  it('passes over disabled, broken, foreign-interface and dangling rules', () => {
    const state = buildState([
      { enable: 0 },
      { errors: { source: "no such alias 'x'" } },
      { iface: 'net1' },
      { type: 'group', action: 'gone' },
      { type: 'forward' },
    ]);
    expect(verdict(state).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
  });

  it('names the default policy of the direction when no rule matches', () => {
    const state = buildState([]);
    expect(verdict(state).verdict).toBe('drop');
    expect(verdict(state, { direction: 'out' })).toEqual({
      verdict: 'accept',
      decided_by: { kind: 'default', policy: 'ACCEPT' },
    });
    const reject = buildState([], { guest: { options: { enable: 1, policy_in: 'REJECT' } } });
    expect(verdict(reject).verdict).toBe('reject');
    expect(verdict({ ...reject, node: NFTABLES_NODE }).verdict).toBe('drop');
  });

  it('names connection tracking before any rule', () => {
    const state = buildState([{ action: 'DROP' }]);
    expect(verdict(state, { state: 'established' }).decided_by).toEqual({ kind: 'builtin', name: 'established' });
    expect(verdict(buildState([SSH]), { state: 'invalid' }).decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
  });

  it('does not reject ICMP but drops it', () => {
    const state = buildState([{ action: 'REJECT' }]);
    expect(verdict(state, { protocol: 1, icmp_type: 8 }).verdict).toBe('drop');
    expect(verdict(state).verdict).toBe('reject');
  });
});

describe('rules of the hypervisor itself', () => {
  const out = { direction: 'out', source: ip('10.0.0.9'), destination: ip('192.0.2.1') } as const;
  const options = (change: object) => buildState([], { guest: { options: { enable: 1, ...change } } });

  it('let DHCP through unless the option is off', () => {
    const offer = { protocol: 17, source_port: 67, destination_port: 68 };
    expect(verdict(options({}), offer).decided_by).toEqual({ kind: 'builtin', name: 'dhcp' });
    expect(verdict(options({ dhcp: 0 }), offer).verdict).toBe('drop');
  });

  it('drop foreign hardware addresses on the way out', () => {
    const foreign = { ...out, source_mac: 'bc:24:11:00:00:02' };
    expect(verdict(options({}), foreign).decided_by).toEqual({ kind: 'builtin', name: 'mac_filter' });
    expect(verdict(options({}), { ...out, source_mac: 'bc:24:11:00:00:01' }).verdict).toBe('accept');
    expect(verdict(options({ macfilter: 0 }), foreign).verdict).toBe('accept');
  });

  it('drop every IPv4 sender when the address filter has no set', () => {
    expect(verdict(options({ ipfilter: 1 }), out).decided_by).toEqual({ kind: 'builtin', name: 'ip_filter' });
    const linkLocal = { ...out, source: ip('fe80::be24:11ff:fe00:1'), destination: ip('2001:db8::1') };
    expect(verdict(options({ ipfilter: 1 }), linkLocal).verdict).toBe('accept');
    const container = { static_addresses: ['10.0.0.9/24'] };
    expect(verdict(options({ ipfilter: 1 }), out, container).verdict).toBe('accept');
  });

  it('let critical ICMP through in front of a DROP default where invalid packets get that far', () => {
    const icmp = { protocol: 1, icmp_type: 3, icmp_code: 4 };
    const state = buildState([], { node: nodeWith({ nf_conntrack_allow_invalid: 1 }) });
    expect(verdict(state, icmp).decided_by).toEqual({ kind: 'builtin', name: 'critical_icmp' });
    expect(verdict(state, { ...icmp, icmp_code: 1 }).decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
    expect(verdict(buildState([]), icmp).decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
  });

  it("let a container send from its static addresses when its interface's set is stored, too", () => {
    const stored = buildState([], { guest: { ipsets: { 'ipfilter-net0': [{ cidr: '10.9.9.9' }] } } });
    const container = { static_addresses: ['10.0.0.9/24'] };
    expect(verdict(stored, out, container).verdict).toBe('accept');
    expect(verdict(stored, { ...out, source: ip('10.0.0.8') }, container).decided_by).toEqual(IP_FILTER);
    const except = buildState([], { guest: { ipsets: { 'ipfilter-net0': [{ cidr: '10.0.0.9', nomatch: 1 }] } } });
    expect(verdict(except, out, container).verdict).toBe('accept');
  });

  it('drop what the cluster has blacklisted', () => {
    const cluster = { ipsets: { blacklist: [{ cidr: '192.0.2.0/24' }, { cidr: '192.0.2.1', nomatch: 1 }] } };
    expect(verdict(buildState([SSH], { cluster })).verdict).toBe('accept');
    expect(verdict(buildState([SSH], { cluster }), { source: ip('192.0.2.2') }).decided_by).toEqual({
      kind: 'builtin',
      name: 'blacklist',
    });
  });
});

describe('in front of guests', () => {
  const off = { guest: { options: {} } };
  const blacklist = { ipsets: { blacklist: [{ cidr: '192.0.2.1' }] } };
  const not_enforced = { kind: 'not_enforced', reason: 'guest_firewall_off' };
  const builtin = (name: string) => ({ verdict: 'drop', decided_by: { kind: 'builtin', name } });
  const networks = ['10.1.2.3/24', '10.5.0.1/31', 'fd00::1/64'];

  it('stays what the node drops when the firewall of the guest is off', () => {
    expect(verdict(buildState([], { ...off, cluster: blacklist }))).toEqual(builtin('blacklist'));
    expect(verdict(buildState([], off), { state: 'invalid' })).toEqual(builtin('invalid'));
    expect(verdict(buildState([], off), { protocol: 1, icmp_type: 0 })).toEqual(builtin('invalid'));
    for (const source of ['224.0.0.5', '255.255.255.255', '10.1.2.255']) {
      const state = buildState([], { ...off, node: nodeWith({}, networks) });
      expect(verdict(state, { source: ip(source) })).toEqual(builtin('smurf'));
      expect(verdict(state, { source: ip(source), direction: 'out' }).decided_by).toEqual(not_enforced);
    }
    expect(verdict(buildState([], off)).decided_by).toEqual(not_enforced);
  });

  it('applies only connection tracking where the interface has no flag, and nothing where the cluster firewall is off', () => {
    const flagless = { firewall: false };
    expect(verdict(buildState([], { ...off, cluster: blacklist }), {}, flagless).verdict).toBe('accept');
    expect(verdict(buildState([]), { state: 'invalid' }, flagless)).toEqual(builtin('invalid'));
    const clusterOff = buildState([], { ...off, cluster: { ...blacklist, firewall_enabled: false } });
    expect(verdict(clusterOff, { state: 'invalid' }).verdict).toBe('accept');
  });

  it('drops blacklisted sources whatever the options of the guest are', () => {
    const unread = buildState([], { cluster: blacklist, guest: { options: null } });
    expect(verdict(unread)).toEqual(builtin('blacklist'));
  });

  it('takes only the broadcast addresses of the own networks of the node for smurfs', () => {
    const state = buildState([SSH], { node: nodeWith({}, networks) });
    expect(verdict(state, { source: ip('10.1.2.255') })).toEqual(builtin('smurf'));
    for (const source of ['10.1.3.255', '10.1.2.127', '10.5.0.1', '0.0.0.0']) {
      expect(verdict(state, { source: ip(source) }).verdict, source).toBe('accept');
    }
  });

  it('drops a directed broadcast silently where it would reject', () => {
    const options = { enable: 1, policy_in: 'REJECT' };
    for (const rules of [[], [{ action: 'REJECT' }]]) {
      const state = buildState(rules, { guest: { options }, node: nodeWith({}, networks) });
      expect(verdict(state, { destination: ip('10.1.2.255') }).verdict).toBe('drop');
      expect(verdict(state, { destination: ip('10.1.2.254') }).verdict).toBe('reject');
      const unread = buildState(rules, { guest: { options }, node: nodeWith({}, null) });
      const reason = { kind: 'unknown', reason: 'unknown_node_networks' };
      expect(verdict(unread, { destination: ip('10.1.2.255') }).decided_by).toMatchObject(reason);
      expect(verdict(unread, { destination: ip('10.1.2.127') }).verdict).toBe('reject');
    }
  });

  it.each([
    ['nosmurfs', { nosmurfs: 0 }, { source: ip('224.0.0.5') }],
    ['nf_conntrack_allow_invalid', { nf_conntrack_allow_invalid: 1 }, { state: 'invalid' as const, protocol: 17 }],
    ['tcpflags', { tcpflags: 0 }, { source_port: 0 }],
  ])('follows the option %s of the node, and is unknown where it could not be read', (_, passing, change) => {
    const open = [{}];
    expect(verdict(buildState(open, { node: nodeWith({ tcpflags: 1 }) }), change).verdict).toBe('drop');
    expect(verdict(buildState(open, { node: nodeWith(passing) }), change).verdict).toBe('accept');
    const unread: LiveNode = { ...PLAIN_NODE, options: null, implementation: 'iptables' };
    expect(verdict(buildState(open, { node: unread }), change).decided_by).toMatchObject({
      reason: 'unknown_node_options',
    });
    // What would be dropped later is dropped either way.
    expect(verdict(buildState([{ action: 'DROP' }], { node: unread }), change).verdict).toBe('drop');
  });

  it('takes an unread network for a smurf only where a source ends in 255', () => {
    const state = buildState([SSH], { node: nodeWith({}, null) });
    expect(verdict(state, { source: ip('10.1.2.127') }).verdict).toBe('accept');
    expect(verdict(state, { source: ip('10.1.2.255') }).decided_by).toMatchObject({ reason: 'unknown_node_networks' });
  });
});

describe('packets that are not what they seem', () => {
  const all = buildState([{}, { type: 'out' }]);

  it.each([0, 3, 4, 5, 9, 10, 11, 12, 14, 16, 18])('count unsolicited ICMP type %i as invalid', (icmp_type) => {
    expect(verdict(all, { protocol: 1, icmp_type }).decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
    expect(verdict(all, { protocol: 1, icmp_type, state: 'related' }).verdict).toBe('accept');
  });

  const six = { source: ip('2001:db8::1'), destination: ip('2001:db8::9') };

  it.each([1, 2, 3, 4, 129, 137])('count unsolicited ICMPv6 type %i as invalid', (icmp_type) => {
    const found = verdict(all, { ...six, protocol: 58, icmp_type });
    expect(found.decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
  });

  it('exclude ICMP that opens a connection, and untracked neighbor discovery', () => {
    for (const icmp_type of [8, 13, 15, 17]) expect(verdict(all, { protocol: 1, icmp_type }).verdict).toBe('accept');
    for (const icmp_type of [128, 135, 143]) {
      expect(verdict(all, { ...six, protocol: 58, icmp_type }).verdict).toBe('accept');
    }
  });

  it('may be invalid where the type of ICMP is not known', () => {
    expect(verdict(all, { protocol: 1 }).decided_by).toMatchObject({ reason: 'unknown_packet_detail' });
    expect(verdict(buildState([]), { protocol: 1 }).verdict).toBe('drop');
  });

  it('match no rule for a protocol that is an extension header in IPv6', () => {
    const ah = buildState([{ proto: 'ah' }, { proto: '51' }, { proto: 'ipv6-frag' }]);
    expect(verdict(ah, { protocol: 51 }).decided_by).toMatchObject({ kind: 'rule', position: 0 });
    for (const protocol of [44, 51]) {
      expect(verdict(ah, { ...six, protocol }).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
    }
    expect(verdict(all, { ...six, protocol: 51 }).verdict).toBe('accept');
  });

  it('get dropped without a reply where a reject on the way out cannot reach the guest', () => {
    const state = buildState([{ type: 'out', action: 'REJECT' }]);
    const out = { direction: 'out', source: ip('10.0.0.9'), destination: ip('192.0.2.1') } as const;
    expect(verdict(state, out).verdict).toBe('reject');
    for (const protocol of [17, 132, 47]) expect(verdict(state, { ...out, protocol }).verdict).toBe('drop');
    expect(verdict(buildState([{ action: 'REJECT' }]), { protocol: 17 }).verdict).toBe('reject');
  });
});

describe('what is not enforced', () => {
  it.each([
    ['cluster_firewall_off', buildState([], { cluster: { firewall_enabled: false } }), {}],
    ['guest_firewall_off', buildState([], { guest: { options: {} } }), {}],
    ['nic_flag_off', buildState([]), { firewall: false }],
  ] as const)('accepts: %s', (reason, state, nic) => {
    expect(verdict(state, {}, nic)).toEqual({ verdict: 'accept', decided_by: { kind: 'not_enforced', reason } });
  });

  it.each([
    ['unknown_cluster_firewall', buildState([], { cluster: { firewall_enabled: null } }), {}],
    ['unknown_guest_options', buildState([], { guest: { options: null } }), {}],
    ['unknown_nic_flag', buildState([]), { firewall: null }],
    ['unknown_guest_rules', buildState(null), {}],
  ] as const)('returns unknown, not off, when it could not be read: %s', (reason, state, nic) => {
    expect(verdict(state, {}, nic)).toMatchObject({ verdict: 'unknown', decided_by: { kind: 'unknown', reason } });
  });

  it('follows one switch that is certainly off', () => {
    const state = buildState([], { cluster: { firewall_enabled: null } });
    expect(verdict(state, {}, { firewall: false }).verdict).toBe('accept');
  });

  it('matters only where the chain would not accept', () => {
    expect(verdict(buildState([SSH], { cluster: { firewall_enabled: null } })).verdict).toBe('accept');
  });
});

describe('a node that cannot compile', () => {
  const failures = [{ reason: 'service_without_protocol', scope: 'guest', detail: 'tcp/tftp' }] as const;
  const node: LiveNode = { ...PLAIN_NODE, compile_failure: { since: '2026-11-23T00:00:00Z', failures } };
  const evaluateChange = (change: Change, nic = NIC, sent: Partial<Packet> = {}) =>
    evaluate(prepareGuest(buildState([{ action: 'DROP' }], change), nic), packet(sent));

  it('makes every verdict on new connections unknown, since older rules are enforced', () => {
    const unknown = { verdict: 'unknown', decided_by: { kind: 'unknown', reason: 'node_cannot_compile' } };
    expect(evaluateChange({ node })).toMatchObject(unknown);
    expect(evaluateChange({ node, guest: { options: { enable: 0 } } })).toMatchObject(unknown);
    expect(evaluateChange({ node: PLAIN_NODE })).toMatchObject({ verdict: 'drop' });
  });

  it('leaves alone what no rule of before can reach', () => {
    expect(evaluateChange({ node }, NIC, { state: 'established' })).toMatchObject({ verdict: 'accept' });
    expect(evaluateChange({ node }, { ...NIC, firewall: false })).toMatchObject({ verdict: 'accept' });
    expect(evaluateChange({ node, cluster: { firewall_enabled: false } })).toMatchObject({ verdict: 'accept' });
  });
});

describe('what is not known', () => {
  it('decides only where it could', () => {
    const state = buildState([{ ...SSH, source: '+sdn/all' }]);
    expect(verdict(state)).toEqual({
      verdict: 'unknown',
      decided_by: { kind: 'unknown', reason: 'unknown_reference', places: [{ position: 0 }] },
    });
    expect(verdict(state, { destination_port: 80 }).verdict).toBe('drop');
    expect(verdict(buildState([{ ...SSH, source: '+sdn/all' }, SSH])).verdict).toBe('accept');
  });

  it('includes missing details of the packet', () => {
    const { destination_port, ...without } = packet();
    expect(evaluate(prepareGuest(buildState([SSH]), NIC), without).decided_by).toMatchObject({
      reason: 'unknown_packet_detail',
    });
    expect(evaluate(prepareGuest(buildState([{ proto: 'tcp' }]), NIC), without).verdict).toBe('accept');
  });

  it('includes groups and sets that could not be read', () => {
    const group = buildState([{ type: 'group', action: 'web' }], { cluster: { groups: null } });
    expect(verdict(group).decided_by).toMatchObject({ reason: 'unknown_group' });
    const set = buildState([{ source: '+guest/web' }], { guest: { ipsets: null } });
    expect(verdict(set).decided_by).toMatchObject({ reason: 'unknown_reference' });
  });
});

it.each(vectors.rule_errors as unknown as [Partial<LiveRule>, Record<string, string>][])(
  'does not enforce %j, which the hypervisor marks as broken',
  (rule, errors) => {
    expect(verdict(buildState([{ ...rule, errors }])).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
  },
);
