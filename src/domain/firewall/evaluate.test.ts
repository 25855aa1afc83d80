import { describe, expect, it } from 'vitest';
import vectors from '@/server/providers/hypervisor/fake/vectors/firewall.json';
import { parseIp } from '../net/ip-address';
import { protocolNumber } from './data/protocols';
import { evaluate } from './evaluate';
import type { LiveCluster, LiveGuest, LiveNic, LiveRule, LiveState } from './live-state';
import type { Packet } from './packet';
import { parseLivePorts } from './port-match';
import { prepareGuest } from './prepare-guest';
import { resolveAddress } from './resolve-address';

const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const NIC: LiveNic = { name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' };

type Change = { cluster?: Partial<LiveCluster>; guest?: Partial<LiveGuest>; implementation?: 'nftables' };

const stateOf = (rules: Partial<LiveRule>[] | null, { cluster, guest, implementation }: Change = {}): LiveState => ({
  cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, ...cluster },
  guest: {
    options: { enable: 1 },
    rules: rules?.map((rule, pos) => ({ pos, type: 'in', action: 'ACCEPT', enable: 1, ...rule })) ?? null,
    ipsets: {},
    aliases: {},
    ...guest,
  },
  ...(implementation && { implementation }),
});

const packet = (change: Partial<Packet> = {}): Packet => ({
  direction: 'in',
  source: ip('192.0.2.1'),
  destination: ip('10.0.0.9'),
  protocol: 6,
  source_port: 40000,
  destination_port: 22,
  ...change,
});

const verdict = (state: LiveState, change: Partial<Packet> = {}, nic: Partial<LiveNic> = {}) =>
  evaluate(prepareGuest(state, { ...NIC, ...nic }), packet(change));

const SSH = { proto: 'tcp', dport: '22' };

describe('the decision', () => {
  it('is the first matching rule, with its position', () => {
    const state = stateOf([{ ...SSH, source: '192.0.2.9' }, { ...SSH, action: 'DROP' }, SSH]);
    expect(verdict(state)).toEqual({ verdict: 'drop', decided_by: { kind: 'rule', position: 1 } });
  });

  it('is inside a group, with both positions', () => {
    const members = [
      { pos: 0, type: 'out', action: 'DROP', enable: 1 },
      { pos: 1, type: 'in', action: 'ACCEPT', enable: 1, ...SSH },
    ];
    const state = stateOf([{ type: 'group', action: 'web' }], { cluster: { groups: { web: members } } });
    expect(verdict(state).decided_by).toEqual({ kind: 'rule', position: 0, group: 'web', group_position: 1 });
    expect(verdict(state, { destination_port: 80 }).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
  });

  it('passes over disabled, broken, foreign-interface and dangling rules', () => {
    const state = stateOf([
      { enable: 0 },
      { errors: { source: "no such alias 'x'" } },
      { iface: 'net1' },
      { type: 'group', action: 'gone' },
      { type: 'forward' },
    ]);
    expect(verdict(state).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
  });

  it('is the default policy of the direction when nothing matches', () => {
    const state = stateOf([]);
    expect(verdict(state).verdict).toBe('drop');
    expect(verdict(state, { direction: 'out' })).toEqual({
      verdict: 'accept',
      decided_by: { kind: 'default', policy: 'ACCEPT' },
    });
    const reject = stateOf([], { guest: { options: { enable: 1, policy_in: 'REJECT' } } });
    expect(verdict(reject).verdict).toBe('reject');
    expect(verdict({ ...reject, implementation: 'nftables' }).verdict).toBe('drop');
  });

  it('is that of connection tracking before any rule', () => {
    const state = stateOf([{ action: 'DROP' }]);
    expect(verdict(state, { state: 'established' }).decided_by).toEqual({ kind: 'builtin', name: 'established' });
    expect(verdict(stateOf([SSH]), { state: 'invalid' }).decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
  });

  it('does not reject ICMP but drops it', () => {
    const state = stateOf([{ action: 'REJECT' }]);
    expect(verdict(state, { protocol: 1, icmp_type: 8 }).verdict).toBe('drop');
    expect(verdict(state).verdict).toBe('reject');
  });
});

describe('rules of the hypervisor itself', () => {
  const out = { direction: 'out', source: ip('10.0.0.9'), destination: ip('192.0.2.1') } as const;
  const options = (change: object) => stateOf([], { guest: { options: { enable: 1, ...change } } });

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

  it('let critical ICMP through in front of a DROP default', () => {
    const icmp = { protocol: 1, icmp_type: 3, icmp_code: 4 };
    expect(verdict(stateOf([]), icmp).decided_by).toEqual({ kind: 'builtin', name: 'critical_icmp' });
    expect(verdict(stateOf([]), { ...icmp, icmp_code: 1 }).verdict).toBe('drop');
  });

  it('drop what the cluster has blacklisted', () => {
    const cluster = { ipsets: { blacklist: [{ cidr: '192.0.2.0/24' }, { cidr: '192.0.2.1', nomatch: 1 }] } };
    expect(verdict(stateOf([SSH], { cluster })).verdict).toBe('accept');
    expect(verdict(stateOf([SSH], { cluster }), { source: ip('192.0.2.2') }).decided_by).toEqual({
      kind: 'builtin',
      name: 'blacklist',
    });
  });
});

describe('what is not enforced', () => {
  it.each([
    ['cluster_firewall_off', stateOf([], { cluster: { firewall_enabled: false } }), {}],
    ['guest_firewall_off', stateOf([], { guest: { options: {} } }), {}],
    ['nic_flag_off', stateOf([]), { firewall: false }],
  ] as const)('is accepted: %s', (reason, state, nic) => {
    expect(verdict(state, {}, nic)).toEqual({ verdict: 'accept', decided_by: { kind: 'not_enforced', reason } });
  });

  it.each([
    ['unknown_cluster_firewall', stateOf([], { cluster: { firewall_enabled: null } }), {}],
    ['unknown_guest_options', stateOf([], { guest: { options: null } }), {}],
    ['unknown_nic_flag', stateOf([]), { firewall: null }],
    ['unknown_guest_rules', stateOf(null), {}],
  ] as const)('is unknown, not off, when it could not be read: %s', (reason, state, nic) => {
    expect(verdict(state, {}, nic)).toMatchObject({ verdict: 'unknown', decided_by: { kind: 'unknown', reason } });
  });

  it('is settled by one switch that is certainly off', () => {
    const state = stateOf([], { cluster: { firewall_enabled: null } });
    expect(verdict(state, {}, { firewall: false }).verdict).toBe('accept');
  });

  it('matters only where the chain would not accept', () => {
    expect(verdict(stateOf([SSH], { cluster: { firewall_enabled: null } })).verdict).toBe('accept');
  });
});

describe('what is not known', () => {
  it('decides only where it could', () => {
    const state = stateOf([{ ...SSH, source: '+sdn/all' }]);
    expect(verdict(state)).toEqual({
      verdict: 'unknown',
      decided_by: { kind: 'unknown', reason: 'unknown_reference', places: [{ position: 0 }] },
    });
    expect(verdict(state, { destination_port: 80 }).verdict).toBe('drop');
    expect(verdict(stateOf([{ ...SSH, source: '+sdn/all' }, SSH])).verdict).toBe('accept');
  });

  it('includes missing details of the packet', () => {
    const { destination_port, ...without } = packet();
    expect(evaluate(prepareGuest(stateOf([SSH]), NIC), without).decided_by).toMatchObject({
      reason: 'unknown_packet_detail',
    });
    expect(evaluate(prepareGuest(stateOf([{ proto: 'tcp' }]), NIC), without).verdict).toBe('accept');
  });

  it('includes groups and sets that could not be read', () => {
    const group = stateOf([{ type: 'group', action: 'web' }], { cluster: { groups: null } });
    expect(verdict(group).decided_by).toMatchObject({ reason: 'unknown_group' });
    const set = stateOf([{ source: '+guest/web' }], { guest: { ipsets: null } });
    expect(verdict(set).decided_by).toMatchObject({ reason: 'unknown_reference' });
  });
});

describe('recorded vectors of the real parser', () => {
  const scopes = {
    guest: { ipsets: {}, aliases: {} },
    cluster: { ipsets: { set: [{ cidr: '10.0.0.0/8' }] }, aliases: { alias: '10.0.0.0/8' } },
  };
  /** Forms that the parser accepts although they mean different things to different tools. */
  const SLOPPY = new Set(['10', '10.1', '10/8', '0/0', '10.0.0.01', '10.0.0.1 - 10.0.0.9']);

  it.each(vectors.addresses.ipv4)('understands the IPv4 form %j, or says that it does not', (text) => {
    const set = resolveAddress(text, scopes);
    expect(set).toMatchObject(SLOPPY.has(text) ? { 4: [], rest: 'unknown' } : { rest: 'no' });
    if (!SLOPPY.has(text)) expect(set[4].length).toBeGreaterThan(0);
  });

  it.each(vectors.addresses.ipv6)('understands the IPv6 form %j', (text) => {
    expect(resolveAddress(text, scopes)[6]).toHaveLength(1);
  });

  it.each(vectors.addresses.references)('looks up %j', (text) => {
    const found = !/^\+?(guest|sdn)\//.test(text);
    expect(resolveAddress(text, scopes)).toMatchObject(found ? { rest: 'no', 4: [{}] } : { rest: 'unknown', 4: [] });
  });

  const refused = { ...vectors.addresses.rejected, ...vectors.addresses.rejected_by_rule_check };
  it.each(Object.keys(refused).filter((text) => text !== '10.0.0.5/24' && !/^10.*-|^10\.0\.0\.1,fe80/.test(text)))(
    'never takes the refused address %j for something definite',
    (text) => expect(resolveAddress(text, scopes).rest).toBe('unknown'),
  );

  it.each(vectors.ports.accepted)('understands the port list %j', (text) => {
    expect(parseLivePorts(text)?.rest ?? 'no').toBe('no');
  });

  it.each(Object.keys(vectors.ports.rejected).filter((text) => !text.includes('15,16')))(
    'does not guess what the refused port list %j means',
    (text) => expect(parseLivePorts(text)?.rest).toBe('unknown'),
  );

  it.each(vectors.protocols.accepted.filter(Boolean))('knows the protocol %j', (text) => {
    expect(protocolNumber(text)).not.toBeNull();
  });

  it.each(vectors.rule_errors as unknown as [Partial<LiveRule>, Record<string, string>][])(
    'does not enforce %j',
    (rule, errors) => {
      expect(verdict(stateOf([{ ...rule, errors }])).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
    },
  );
});
