import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate';
import { buildState, verdict as evaluateIn, ip, NIC } from './guest-state.fixture';
import type { LiveCluster, LiveGuest, LiveGuestOptions, LiveNic, LiveNodeOptions, LiveRule } from './live-state';
import type { Packet } from './packet';
import { prepareGuest } from './prepare-guest';

/**
 * Vectors written manually from the skeleton and the generator of the nftables implementation: what one guest's
 * chains do. Each is also evaluated on a node with iptables, where the two differ.
 */
type Setup = {
  readonly options?: LiveGuestOptions;
  readonly rules?: readonly Partial<LiveRule>[];
  readonly guest?: Partial<LiveGuest>;
  readonly cluster?: Partial<LiveCluster>;
  readonly node?: LiveNodeOptions;
  readonly nic?: Partial<LiveNic>;
};

function verdict(setup: Setup, packet: Partial<Packet>, nftables = 1) {
  const { rules = [], cluster = {}, nic = {} } = setup;
  const guest = { options: { enable: 1, ...setup.options }, ...setup.guest };
  const node = { options: { nftables, ...setup.node }, networks: ['10.0.0.2/24'], rules: [] };
  return evaluateIn(buildState([...rules], { cluster, guest, node }), packet, nic);
}

const builtin = (name: string) => ({ kind: 'builtin', name });
const rule = (position: number) => ({ kind: 'rule', position });
const byPolicy = (policy: string) => ({ kind: 'default', policy });
const iptables = (setup: Setup, packet: Partial<Packet>) => verdict(setup, packet, 0);

const OUT = { direction: 'out', source: ip('10.0.0.9'), destination: ip('192.0.2.1') } as const;
const SIX = { source: ip('2001:db8::1'), destination: ip('2001:db8::9'), protocol: 58 };
const SIX_OUT = { ...SIX, direction: 'out' } as const;
const DROP_ALL = { rules: [{ action: 'DROP' }, { action: 'DROP', type: 'out' }] };
const OPEN = { rules: [{}, { type: 'out' }] };

describe('vital ICMP in front of guests', () => {
  it.each([3, 4, 11])('accepts ICMP type %i before rules that drop it', (icmp_type) => {
    for (const end of [{}, OUT]) {
      const packet = { ...end, protocol: 1, icmp_type };
      expect(verdict(DROP_ALL, packet)).toEqual({ verdict: 'accept', decided_by: builtin('vital_icmp') });
      expect(iptables(DROP_ALL, packet)).toEqual({ verdict: 'drop', decided_by: builtin('invalid') });
      // Connection tracking is asked afterwards.
      expect(verdict(DROP_ALL, { ...packet, state: 'invalid' }).verdict).toBe('accept');
    }
  });

  it.each([1, 2, 3, 4])('accepts ICMPv6 type %i before rules that drop it', (icmp_type) => {
    for (const end of [SIX, SIX_OUT]) {
      expect(verdict(DROP_ALL, { ...end, icmp_type }).decided_by).toEqual(builtin('vital_icmp'));
    }
  });

  it.each([
    [1, 5],
    [1, 12],
    [58, 5],
  ])('does not accept other types: protocol %i, type %i', (protocol, icmp_type) => {
    const ends = protocol === 58 ? SIX : {};
    expect(verdict(OPEN, { ...ends, protocol, icmp_type }).decided_by).toEqual(builtin('invalid'));
  });

  it('may accept ICMP whose type is not known', () => {
    expect(verdict(DROP_ALL, { protocol: 1 })).toMatchObject({ decided_by: { reason: 'unknown_packet_detail' } });
  });
});

describe('chains that guests do not have with nftables', () => {
  it.each<[string, Partial<Packet>]>([
    ['broadcast', { protocol: 17, destination: ip('10.0.0.255'), destination_port: 9999 }],
    ['windows_noise', { protocol: 17, destination_port: 137 }],
    ['windows_noise', { destination_port: 445 }],
    ['upnp', { protocol: 17, destination_port: 1900 }],
    ['not_syn', { tcp_syn: false }],
    ['dns_reply', { protocol: 17, source_port: 53 }],
  ])('leaves the drop to the default: %s', (name, packet) => {
    expect(verdict({}, packet)).toEqual({ verdict: 'drop', decided_by: byPolicy('DROP') });
    expect(iptables({}, packet)).toEqual({ verdict: 'drop', decided_by: builtin(name) });
  });

  it('does not drop the blacklist', () => {
    const blacklisted = { ...OPEN, cluster: { ipsets: { blacklist: [{ cidr: '192.0.2.0/24' }] } } };
    expect(verdict(blacklisted, {})).toEqual({ verdict: 'accept', decided_by: rule(0) });
    expect(iptables(blacklisted, {})).toEqual({ verdict: 'drop', decided_by: builtin('blacklist') });
  });

  it.each(['224.0.0.5', '255.255.255.255', '10.0.0.255'])('does not drop the smurf %s', (source) => {
    expect(verdict(OPEN, { source: ip(source) })).toEqual({ verdict: 'accept', decided_by: rule(0) });
    expect(iptables(OPEN, { source: ip(source) }).decided_by).toEqual(builtin('smurf'));
  });

  it('does not inspect TCP flags of guests', () => {
    const checked = { ...OPEN, node: { tcpflags: 1 } };
    expect(verdict(checked, { source_port: 0 }).verdict).toBe('accept');
    expect(iptables(checked, { source_port: 0 }).decided_by).toEqual(builtin('tcp_flags'));
  });

  it('has nothing in front of a guest whose firewall is off', () => {
    const off = { options: { enable: 0 }, cluster: { ipsets: { blacklist: [{ cidr: '192.0.2.1' }] } } };
    const not_enforced = { kind: 'not_enforced', reason: 'guest_firewall_off' };
    for (const packet of [{}, { state: 'invalid' as const }, { source: ip('224.0.0.5') }]) {
      expect(verdict(off, packet)).toEqual({ verdict: 'accept', decided_by: not_enforced });
      expect(iptables(off, packet).verdict).toBe('drop');
    }
  });
});

describe('connection tracking with nftables', () => {
  it.each(['established', 'related'] as const)('accepts packets of state %s before every rule', (state) => {
    for (const end of [{}, OUT]) {
      expect(verdict(DROP_ALL, { ...end, state })).toEqual({ verdict: 'accept', decided_by: builtin('established') });
    }
  });

  it('drops packets of state invalid unless the node allows them or does not filter itself', () => {
    const packet = { state: 'invalid' } as const;
    expect(verdict(OPEN, packet)).toEqual({ verdict: 'drop', decided_by: builtin('invalid') });
    expect(verdict({ ...OPEN, node: { nf_conntrack_allow_invalid: 1 } }, packet).decided_by).toEqual(rule(0));
    const idle = { ...OPEN, node: { enable: 0 } };
    expect(verdict(idle, packet).decided_by).toEqual(rule(0));
    expect(iptables(idle, packet).decided_by).toEqual(builtin('invalid'));
  });

  it('does not drop packets of state invalid at an interface without the flag', () => {
    const setup = { nic: { firewall: false } };
    expect(verdict(setup, { state: 'invalid' }).verdict).toBe('accept');
    expect(iptables(setup, { state: 'invalid' }).verdict).toBe('drop');
  });
});

describe('options of a guest with nftables', () => {
  const ports = (source_port: number, destination_port: number) => ({ protocol: 17, source_port, destination_port });

  it.each<[string, Partial<Packet>]>([
    ['an offer', ports(67, 68)],
    ['an offer of IPv6', ports(547, 546)],
    ['a request', { ...OUT, ...ports(68, 67) }],
    ['a request of IPv6', { ...OUT, ...ports(546, 547) }],
  ])('accepts DHCP, and drops it with dhcp: 0 before rules that accept it: %s', (_, packet) => {
    expect(verdict(DROP_ALL, packet)).toEqual({ verdict: 'accept', decided_by: builtin('dhcp') });
    const blocked = { ...OPEN, options: { dhcp: 0 } };
    expect(verdict(blocked, packet)).toEqual({ verdict: 'drop', decided_by: builtin('dhcp_blocked') });
    expect(iptables(blocked, packet).verdict).toBe('accept');
  });

  it('does not take the wrong direction of DHCP for DHCP', () => {
    expect(verdict({ ...OPEN, options: { dhcp: 0 } }, ports(68, 67)).decided_by).toEqual(rule(0));
    expect(verdict({ ...OPEN, options: { dhcp: 0 } }, { ...OUT, ...ports(67, 68) }).decided_by).toEqual(rule(1));
  });

  it.each([133, 134, 135, 136])('accepts inbound neighbor discovery %i, and drops it with ndp: 0', (icmp_type) => {
    expect(verdict(DROP_ALL, { ...SIX, icmp_type }).decided_by).toEqual(builtin('ndp'));
    const blocked = { ...OPEN, options: { ndp: 0 } };
    expect(verdict(blocked, { ...SIX, icmp_type })).toEqual({ verdict: 'drop', decided_by: builtin('ndp_blocked') });
    expect(iptables(blocked, { ...SIX, icmp_type }).decided_by).toEqual(rule(0));
  });

  it.each([133, 135, 136])('accepts outbound neighbor discovery %i, and drops it with ndp: 0', (icmp_type) => {
    expect(verdict(DROP_ALL, { ...SIX_OUT, icmp_type }).decided_by).toEqual(builtin('ndp'));
    expect(verdict({ ...OPEN, options: { ndp: 0 } }, { ...SIX_OUT, icmp_type }).decided_by).toEqual(
      builtin('ndp_blocked'),
    );
  });

  it('drops router advertisements of the guest, and accepts them before its rules with radv: 1', () => {
    const sent = { ...SIX_OUT, icmp_type: 134 };
    expect(verdict(OPEN, sent)).toEqual({ verdict: 'drop', decided_by: builtin('router_advertisement') });
    for (const options of [{ radv: 1 }, { radv: 1, ndp: 0 }]) {
      expect(verdict({ ...DROP_ALL, options }, sent).decided_by).toEqual(builtin('router_announced'));
    }
  });

  it('drops foreign hardware addresses unless macfilter: 0', () => {
    const foreign = { ...OUT, source_mac: 'bc:24:11:00:00:02' };
    expect(verdict(OPEN, foreign)).toEqual({ verdict: 'drop', decided_by: builtin('mac_filter') });
    expect(verdict(OPEN, { ...OUT, source_mac: 'bc:24:11:00:00:01' }).decided_by).toEqual(rule(1));
    expect(verdict({ ...OPEN, options: { macfilter: 0 } }, foreign).decided_by).toEqual(rule(1));
    // What is addressed to the guest is not looked at.
    expect(verdict(OPEN, { source_mac: 'bc:24:11:00:00:02' }).verdict).toBe('accept');
  });

  it('checks a foreign hardware address before DHCP, which iptables accepts first', () => {
    const request = { ...OUT, ...ports(68, 67), source_mac: 'bc:24:11:00:00:02' };
    expect(verdict(OPEN, request).decided_by).toEqual(builtin('mac_filter'));
    expect(iptables(OPEN, request).decided_by).toEqual(builtin('dhcp'));
  });
});

describe('the address filter with nftables', () => {
  const stored = { ipsets: { 'ipfilter-net0': [{ cidr: '10.0.0.8/29' }, { cidr: '10.0.0.9', nomatch: 1 }] } };
  const filter = { ...OPEN, guest: stored, options: { ipfilter: 1 } };

  it('ignores a stored set while the option is off', () => {
    expect(verdict({ ...OPEN, guest: stored }, OUT).decided_by).toEqual(rule(1));
    expect(iptables({ ...OPEN, guest: stored }, OUT).decided_by).toEqual(builtin('ip_filter'));
  });

  it('takes a stored set as it is, without the addresses that a generated one has', () => {
    expect(verdict(filter, { ...OUT, source: ip('10.0.0.10') }).decided_by).toEqual(rule(1));
    expect(verdict(filter, OUT)).toEqual({ verdict: 'drop', decided_by: builtin('ip_filter') });
    const linkLocal = { ...SIX_OUT, protocol: 6, source: ip('fe80::be24:11ff:fe00:1') };
    expect(verdict(filter, linkLocal).decided_by).toEqual(builtin('ip_filter'));
    const container = { ...filter, nic: { static_addresses: ['10.0.0.9/24'] } };
    expect(verdict(container, OUT).verdict).toBe('drop');
    expect(iptables(container, OUT).verdict).toBe('accept');
  });

  it('generates a set of the link-local address and static addresses where none is stored', () => {
    const generated = { ...OPEN, options: { ipfilter: 1 }, nic: { static_addresses: ['10.0.0.9/24'] } };
    expect(verdict(generated, OUT).verdict).toBe('accept');
    expect(verdict(generated, { ...OUT, source: ip('10.0.0.8') }).decided_by).toEqual(builtin('ip_filter'));
    const own = { ...SIX_OUT, protocol: 6, source: ip('fe80::be24:11ff:fe00:1') };
    expect(verdict(generated, own).verdict).toBe('accept');
    expect(verdict(generated, { ...own, source: ip('fe80::1') }).decided_by).toEqual(builtin('ip_filter'));
  });

  it('drops before DHCP, unlike iptables', () => {
    const request = { ...OUT, protocol: 17, source: ip('0.0.0.0'), source_port: 68, destination_port: 67 };
    expect(verdict(filter, request).decided_by).toEqual(builtin('ip_filter'));
    expect(iptables(filter, request).decided_by).toEqual(builtin('dhcp'));
  });
});

describe('rules with nftables', () => {
  it('drops what an inbound rule or default rejects', () => {
    const rejecting = { rules: [{ action: 'REJECT' }] };
    expect(verdict(rejecting, {})).toEqual({ verdict: 'drop', decided_by: rule(0) });
    expect(iptables(rejecting, {}).verdict).toBe('reject');
    const byDefault = { options: { policy_in: 'REJECT' } };
    expect(verdict(byDefault, {})).toEqual({ verdict: 'drop', decided_by: byPolicy('REJECT') });
  });

  it('rejects outbound TCP only', () => {
    const rejecting = { rules: [{ type: 'out', action: 'REJECT' }] };
    expect(verdict(rejecting, OUT)).toEqual({ verdict: 'reject', decided_by: rule(0) });
    expect(verdict(rejecting, { ...OUT, protocol: 17 })).toEqual({ verdict: 'drop', decided_by: rule(0) });
    expect(verdict(rejecting, { ...OUT, destination: ip('10.0.0.255') }).verdict).toBe('drop');
  });

  it('evaluates the rules of a group in order, then continues after the group', () => {
    const members = [
      { pos: 0, type: 'in', action: 'DROP', enable: 1, source: '192.0.2.7' },
      { pos: 1, type: 'in', action: 'ACCEPT', enable: 1, source: '192.0.2.0/24', proto: 'tcp', dport: '22' },
    ];
    const setup = {
      rules: [
        { type: 'group', action: 'web' },
        { action: 'DROP', proto: 'tcp' },
      ],
      cluster: { groups: { web: members } },
    };
    const inGroup = { kind: 'rule', position: 0, group: 'web' };
    expect(verdict(setup, {}).decided_by).toEqual({ ...inGroup, group_position: 1 });
    expect(verdict(setup, { source: ip('192.0.2.7') }).decided_by).toEqual({ ...inGroup, group_position: 0 });
    expect(verdict(setup, { destination_port: 80 }).decided_by).toEqual(rule(1));
  });

  it("does not show a group the guest's sets", () => {
    const members = [{ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, source: '+web' }];
    const setup = {
      rules: [{ type: 'group', action: 'web' }],
      guest: { ipsets: { web: [{ cidr: '192.0.2.1' }] } },
      cluster: { groups: { web: members }, ipsets: { web: [{ cidr: '198.51.100.1' }] } },
    };
    expect(verdict(setup, {}).verdict).toBe('drop');
    expect(verdict(setup, { source: ip('198.51.100.1') }).verdict).toBe('accept');
  });

  it('lets an exception of a set win over a more specific entry', () => {
    const entries = [{ cidr: '192.0.2.0/24' }, { cidr: '192.0.2.0/28', nomatch: 1 }, { cidr: '192.0.2.1' }];
    const setup = { rules: [{ source: '+web' }], guest: { ipsets: { web: entries } } };
    expect(verdict(setup, {}).verdict).toBe('drop');
    expect(iptables(setup, {}).verdict).toBe('accept');
    expect(verdict(setup, { source: ip('192.0.2.200') }).verdict).toBe('accept');
  });

  it('leaves out an address of the other family behind one that fixed the family', () => {
    const mixed = { rules: [{ source: '192.0.2.0/24', dest: '2001:db8::9' }] };
    expect(verdict(mixed, {})).toEqual({ verdict: 'accept', decided_by: rule(0) });
    expect(iptables(mixed, {}).verdict).toBe('drop');
    expect(verdict(mixed, { ...SIX, protocol: 6 }).verdict).toBe('drop');
    const ping = { rules: [{ proto: 'icmp', 'icmp-type': 'echo-request', source: '2001:db8::1' }] };
    expect(verdict(ping, { protocol: 1, icmp_type: 8 }).decided_by).toEqual(rule(0));
    expect(iptables(ping, { protocol: 1, icmp_type: 8 }).verdict).toBe('drop');
  });

  it('ignores ports of a protocol that has none', () => {
    const gre = { rules: [{ proto: 'gre', dport: '22' }] };
    expect(verdict(gre, { protocol: 47 }).decided_by).toEqual(rule(0));
    expect(iptables(gre, { protocol: 47 }).verdict).toBe('drop');
  });
});

describe('a node whose implementation is not known', () => {
  const setup = (options: LiveGuestOptions, rules: readonly Partial<LiveRule>[]) => {
    const stored = rules.map((one, pos) => ({ pos, type: 'in', action: 'ACCEPT', enable: 1, ...one }));
    const guest = { options: { enable: 1, ...options }, rules: stored, ipsets: {}, aliases: {} };
    return { cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} }, guest, node: null };
  };
  const packet: Packet = {
    direction: 'in',
    source: ip('192.0.2.1'),
    destination: ip('10.0.0.9'),
    protocol: 6,
    source_port: 40000,
    destination_port: 22,
  };

  it('gets the verdict that both implementations share, decided as with iptables', () => {
    const found = evaluate(prepareGuest(setup({}, []), NIC), { ...packet, destination_port: 445 });
    expect(found).toEqual({ verdict: 'drop', decided_by: builtin('windows_noise') });
  });

  it('gets unknown where the implementations differ', () => {
    const found = evaluate(prepareGuest(setup({}, [{ action: 'REJECT' }]), NIC), packet);
    expect(found).toMatchObject({ verdict: 'unknown', decided_by: { reason: 'unknown_implementation' } });
  });
});
