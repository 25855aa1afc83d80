import { describe, expect, it } from 'vitest';
import { guestCompileFailures, nodeCompileFailures, summarizeCompileFailures } from './compile-failure';
import { evaluateEnforcement } from './enforcement';
import type { LiveCluster, LiveNode, LiveRule, LiveSetEntry } from './live-state';

const CLUSTER: LiveCluster = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {} };
const rule = (fields: Partial<LiveRule>): LiveRule => ({ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, ...fields });

type Guest = Parameters<typeof guestCompileFailures>[2];
const guest = (fields: Partial<Guest>): Guest => ({
  options: { enable: 1 },
  rules: [],
  ipsets: {},
  aliases: {},
  nics: [{ name: 'net0', firewall: true, mac: '02:00:00:00:00:01' }],
  ...fields,
});
const listRuleFailures = (fields: Partial<LiveRule>, other: Partial<Guest> = {}) =>
  guestCompileFailures(CLUSTER, 100, guest({ rules: [rule(fields)], ...other }));
const listSetFailures = (entries: readonly LiveSetEntry[], aliases: Record<string, string> = {}) =>
  guestCompileFailures(CLUSTER, 100, guest({ ipsets: { peers: entries }, aliases, options: { enable: 0 } }));
const node = (fields: Partial<LiveNode> = {}): LiveNode => ({ options: {}, networks: null, rules: [], ...fields });

// Outcomes of iptables-restore 1.8.9 on Debian 12, in the form in which the hypervisor writes a single port and a list.
const PORTS: readonly (readonly [proto: string, ports: string, refused: string | null])[] = [
  ['tcp', 'ssh', null],
  ['tcp', 'tftp', 'tcp/tftp'],
  ['tcp', 'ntp', 'tcp/ntp'],
  ['tcp', 'syslog', null],
  ['tcp', 'syslog,22', null],
  ['6', 'tftp', 'tcp/tftp'],
  ['tcp', 'ssh,tftp', 'tcp/tftp'],
  ['udp', 'smtp', null],
  ['udp', 'smtp,53', 'udp/smtp'],
  ['17', '53,ssh', 'udp/ssh'],
  ['udp', 'domain,tftp', null],
  ['sctp', 'ssh', 'sctp/ssh'],
  ['sctp', 'domain', 'sctp/domain'],
  ['132', '53,domain', 'sctp/domain'],
  ['sctp', '53', null],
  ['dccp', 'domain', null],
  ['dccp', 'domain,99', 'dccp/domain'],
  ['udplite', '53', 'udplite/53'],
  ['udplite', '53,80', null],
  ['udplite', 'domain,80', 'udplite/domain'],
  ['tcp', 'a-name-of-this-node', null],
  ['tcp', '0', null],
  ['tcp', '1:65535', null],
];

describe('guestCompileFailures', () => {
  it.each(PORTS)('accepts or refuses -p %s and ports %s as iptables-restore does: %s', (proto, ports, refused) => {
    expect(listRuleFailures({ proto, dport: ports }).map(({ detail }) => detail)).toEqual(refused ? [refused] : []);
    expect(listRuleFailures({ proto, dport: '80', sport: ports }).map(({ detail }) => detail)).toEqual(
      proto === 'udplite' ? ['udplite/80'] : refused ? [refused] : [],
    );
  });

  const FULL = Array.from({ length: 15 }, (_, i) => 1000 + i).join();

  it('finds lists with more than 15 ports, which the API takes where some are names', () => {
    expect(listRuleFailures({ proto: 'tcp', dport: FULL })).toEqual([]);
    expect(listRuleFailures({ proto: 'udplite', sport: FULL })).toEqual([]);
    expect(listRuleFailures({ proto: 'tcp', dport: `${FULL},ssh` })).toMatchObject([
      { reason: 'too_many_ports', detail: 'tcp/16' },
    ]);
    expect(listRuleFailures({ proto: 'udp', sport: '1:2,3:4,5:6,7:8,9:10,11:12,13:14,15,domain' })).toMatchObject([
      { reason: 'too_many_ports', detail: 'udp/16' },
    ]);
  });

  it.each<[source: string, iptables: boolean, nftables: boolean]>([
    ['10.0.0.09', true, true],
    ['10.0.0.1,10.08.0.1', true, true],
    ['10.0.0.08-10.0.0.9', true, true],
    ['10.0.0.0/255.08.0.0', true, true],
    ['10.0.0.01', false, true],
    ['10.0.0.010', false, true],
    ['10.0.0.0/255.0.0.0', false, true],
    ['10/8', false, true],
    ['10.1', false, true],
    ['10.0.0.108', false, false],
    ['10.0.0.80/29', false, false],
    ['10.0.0.8-10.0.0.9', false, false],
    ['fd00::09', false, false],
    ['+dc/s09', false, false],
    ['web-08', false, false],
  ])(
    'finds the address %s, refused by iptables-restore: %s, and by the parser of proxmox-firewall: %s',
    (source, ...refused) => {
      const reasons = listRuleFailures({ dest: source }).map(({ reason }) => reason);
      expect(['address_refused', 'address_unreadable'].map((reason) => reasons.some((one) => one === reason))).toEqual(
        refused,
      );
      const off = listRuleFailures({ source, enable: 0 }).map(({ reason }) => reason);
      expect(off).toEqual(refused[1] ? ['address_unreadable'] : []);
    },
  );

  it('names the rule that is refused', () => {
    expect(listRuleFailures({ pos: 3, proto: 'tcp', dport: 'tftp' })).toEqual([
      { reason: 'service_without_protocol', scope: 'guest', vmid: 100, position: 3, detail: 'tcp/tftp' },
    ]);
  });

  it('ignores rules that are not compiled', () => {
    const bad = { proto: 'tcp', dport: 'tftp' };
    expect(listRuleFailures({ ...bad, enable: 0 })).toEqual([]);
    expect(listRuleFailures({ ...bad, errors: { dport: 'invalid' } })).toEqual([]);
    expect(listRuleFailures({ ...bad, iface: 'net1' })).toEqual([]);
    expect(listRuleFailures(bad, { options: {} })).toEqual([]);
    expect(listRuleFailures(bad, { nics: [{ name: 'net0', firewall: false, mac: null }] })).toEqual([]);
    expect(listRuleFailures(bad, { nics: null })).toHaveLength(1);
  });

  it('finds a refused rule in a PVE security group that the guest uses, in either direction', () => {
    const cluster = { ...CLUSTER, groups: { web: [rule({ type: 'out', proto: 'tcp', dport: 'ntp', pos: 1 })] } };
    const rules = [rule({ type: 'group', action: 'web' })];
    expect(guestCompileFailures(cluster, 100, guest({ rules }))).toEqual([
      { reason: 'service_without_protocol', scope: 'group', group: 'web', position: 1, detail: 'tcp/ntp' },
    ]);
    expect(guestCompileFailures(cluster, 100, guest({ rules: [] }))).toEqual([]);
  });

  it('finds aliases that ipset refuses, also where the guest firewall is off', () => {
    const all = { any4: '0.0.0.0/0', any6: '::/0', host: '10.1.2.3/16', net: '10.1.0.0/16', v6: 'FE80::1/10' };
    expect(listSetFailures([{ cidr: 'any4' }], all)).toMatchObject([
      { reason: 'set_entry_covers_everything', set: 'peers' },
    ]);
    expect(listSetFailures([{ cidr: 'guest/any6' }], all)).toMatchObject([{ reason: 'set_entry_covers_everything' }]);
    expect(listSetFailures([{ cidr: 'host' }, { cidr: '10.1.0.0/16' }], all)).toMatchObject([
      { reason: 'set_entry_repeated' },
    ]);
    expect(listSetFailures([{ cidr: 'net' }, { cidr: '10.1.0.0/16', nomatch: 1 }], all)).toEqual([]);
    expect(listSetFailures([{ cidr: 'host' }], all)).toEqual([]);
    expect(listSetFailures([{ cidr: 'v6' }, { cidr: 'fe80::/10' }], all)).toMatchObject([{ detail: 'fe80::/10' }]);
    expect(listSetFailures([{ cidr: 'any4', errors: { cidr: 'no such alias' } }], all)).toEqual([]);
    expect(listSetFailures([{ cidr: 'absent' }])).toEqual([]);
  });

  it('counts what the hypervisor adds to an address filter', () => {
    const ipsets = { 'ipfilter-net0': [{ cidr: 'ours' }] };
    expect(guestCompileFailures(CLUSTER, 100, guest({ ipsets, aliases: { ours: 'fe80::5/10' } }))).toMatchObject([
      { reason: 'set_entry_repeated', set: 'ipfilter-net0', detail: 'ours (fe80::5/10)' },
    ]);
  });
});

describe('guestCompileFailures, where proxmox-firewall compiles', () => {
  const found = (fields: Partial<Guest>, cluster: Partial<LiveCluster> = {}) =>
    guestCompileFailures({ ...CLUSTER, ...cluster }, 100, guest(fields)).map(
      ({ reason, detail }) => `${reason} ${detail}`,
    );
  const unknownType = rule({ proto: 'ipv6-icmp', 'icmp-type': 'reject-route' });

  it('finds a rule for a PVE security group that is gone, while the firewall and the rule are on', () => {
    const rules = [rule({ type: 'group', action: 'gone' })];
    expect(found({ rules })).toEqual(['group_missing gone']);
    expect(found({ rules, nics: [] })).toEqual(['group_missing gone']);
    expect(found({ rules: [{ ...rules[0], enable: 0 } as LiveRule] })).toEqual([]);
    expect(found({ rules: [{ ...rules[0], iface: 'net31' } as LiveRule] })).toEqual([]);
    expect(found({ rules, options: {} })).toEqual([]);
    expect(found({ rules }, { groups: null })).toEqual([]);
    expect(found({ rules }, { groups: { gone: [] } })).toEqual([]);
  });

  it('finds an entry of a set that names an alias which is gone, in sets that are made', () => {
    const entries = [{ cidr: 'gone', errors: { cidr: 'no such alias' } }];
    const all = ['set_alias_missing gone'];
    expect(found({ ipsets: { peers: entries } })).toEqual(all);
    expect(found({ ipsets: { peers: entries }, options: {} })).toEqual([]);
    expect(found({ ipsets: { management: entries, 'ipfilter-net7': entries } })).toEqual([]);
    expect(found({ ipsets: { 'ipfilter-net0': entries } })).toEqual(all);
    expect(found({ ipsets: { peers: entries }, aliases: null })).toEqual([]);
    expect(found({ ipsets: { peers: entries }, aliases: { Gone: '10.0.0.1' } })).toEqual([]);
    expect(found({ ipsets: { peers: [{ cidr: 'dc/gone' }] }, aliases: { gone: '10.0.0.1' } })).toEqual([
      'set_alias_missing dc/gone',
    ]);
    expect(found({}, { ipsets: { management: [{ cidr: 'guest/x1' }] } })).toEqual(['set_alias_missing guest/x1']);
  });

  it('finds rules with a set of the workload that is not made', () => {
    const ipsets = { management: [], peers: [], 'ipfilter-net0': [], 'ipfilter-net7': [] };
    const of = (fields: Partial<LiveRule>, more: Partial<Guest> = {}) =>
      found({ ipsets, rules: [rule(fields)], ...more });
    expect(of({ source: '+management' })).toEqual(['set_not_loaded management']);
    expect(of({ type: 'out', dest: '+guest/management' })).toEqual(['set_not_loaded management']);
    expect(of({ source: '+ipfilter-net7' })).toEqual(['set_not_loaded ipfilter-net7']);
    for (const source of ['+dc/management', '+peers', '+ipfilter-net0']) expect(of({ source })).toEqual([]);
    expect(of({ source: '+management' }, { ipsets: {} })).toEqual([]);
    expect(of({ source: '+management' }, { options: {} })).toEqual([]);
    expect(of({ source: '+management', enable: 0 })).toEqual([]);
  });

  it('finds what cannot be read, also disabled and where the firewall is off', () => {
    expect(found({ rules: [{ ...unknownType, enable: 0 }], options: {} })).toEqual(['icmp_type_unknown reject-route']);
    expect(found({ rules: [{ ...unknownType, 'icmp-type': 'no-route' }] })).toEqual([]);
    expect(found({ rules: [rule({ source: '10.0.0.1', dest: 'fd00::1' })] })).toEqual([
      'address_families_differ 10.0.0.1, fd00::1',
    ]);
    expect(
      found({ rules: [rule({ source: '+dc/a6', dest: 'fd00::1' }), rule({ source: 'al', dest: '::1' })] }),
    ).toEqual([]);
  });

  it('finds devices that cannot be read, of guests that have a firewall file', () => {
    const nics = [{ name: 'net1', firewall: false, mac: null, unreadable_model: 'e1000e' }];
    expect(found({ nics })).toEqual(['nic_model_unknown e1000e']);
    expect(found({ nics, options: {} })).toEqual([]);
    expect(found({ nics, options: null, rules: null, ipsets: null, aliases: null })).toEqual([]);
    expect(found({ nics: [{ name: 'net31', firewall: true, mac: null }] })).toEqual(['nic_not_supported net31']);
    expect(found({ nics: [{ name: 'net30', firewall: true, mac: null }] })).toEqual([]);
  });

  it('knows what data center and node contribute', () => {
    const rules = [rule({ type: 'group', action: 'gone' })];
    const cluster = { ...CLUSTER, rules, groups: { unused: [unknownType] }, ipsets: { s1: [{ cidr: 'gone' }] } };
    const of = (enable: number) => nodeCompileFailures(cluster, node({ rules, options: { enable } }));
    const unread = { reason: 'icmp_type_unknown', scope: 'group', group: 'unused' };
    expect(of(0)).toMatchObject([unread]);
    expect(of(1)).toMatchObject([
      unread,
      { reason: 'group_missing', scope: 'data_center' },
      { reason: 'group_missing', scope: 'node' },
      { reason: 'set_alias_missing', scope: 'data_center', set: 's1' },
    ]);
  });
});

describe('summarizeCompileFailures', () => {
  const bad = [rule({ proto: 'tcp', dport: 'tftp' })];

  it('finds refused rules of the data center and of the node, unless the node does not filter itself', () => {
    const cluster = { ...CLUSTER, rules: bad };
    expect(nodeCompileFailures(cluster, node({ rules: bad }))).toMatchObject([
      { scope: 'data_center' },
      { scope: 'node' },
    ]);
    expect(nodeCompileFailures(cluster, node({ rules: bad, options: { enable: 0 } }))).toEqual([]);
    expect(nodeCompileFailures(cluster, null)).toMatchObject([{ scope: 'data_center' }]);
  });

  const ofIptables = listRuleFailures({ proto: 'tcp', dport: 'tftp' });
  const ofNftables = listRuleFailures({ type: 'group', action: 'gone' });
  const reasons = (cluster: LiveCluster, of: LiveNode | null, found = [...ofIptables, ...ofNftables]) => {
    const { failures, maybe } = summarizeCompileFailures(cluster, of, found);
    return [failures.map(({ reason }) => reason), maybe];
  };

  it('counts what stops the implementation of the node', () => {
    expect(reasons(CLUSTER, node())).toEqual([['service_without_protocol'], false]);
    expect(reasons(CLUSTER, node({ options: { nftables: 1 } }))).toEqual([['group_missing'], false]);
    expect(reasons(CLUSTER, node({ options: null, implementation: 'nftables' }))).toEqual([['group_missing'], false]);
    expect(reasons({ ...CLUSTER, firewall_enabled: null }, node())).toEqual([['service_without_protocol'], false]);
    expect(reasons({ ...CLUSTER, firewall_enabled: false }, node())).toEqual([[], false]);
  });

  it('says maybe where the implementation is not known and only one is stopped', () => {
    expect(reasons(CLUSTER, null)).toEqual([['service_without_protocol', 'group_missing'], false]);
    expect(reasons(CLUSTER, null, ofIptables)).toEqual([[], true]);
    expect(reasons(CLUSTER, null, ofNftables)).toEqual([[], true]);
    expect(reasons(CLUSTER, null, [])).toEqual([[], false]);
  });

  it('names a failure of a group that many guests use once', () => {
    const found = [1, 2].flatMap(() => [{ reason: 'service_without_protocol', scope: 'group', detail: 'x' } as const]);
    expect(summarizeCompileFailures(CLUSTER, node(), found).failures).toHaveLength(1);
  });
});

describe('evaluateEnforcement', () => {
  it('returns unknown while it is unknown whether the node compiles', () => {
    const live = (of: Partial<LiveNode>) => ({ cluster: CLUSTER, guest: guest({}), node: node(of) });
    const nic = { name: 'net0', firewall: true, mac: null };
    expect(evaluateEnforcement(live({ options: null, compile_unknown: true }), nic)).toEqual({
      status: 'unknown',
      reasons: ['unknown_implementation'],
    });
    expect(evaluateEnforcement(live({}), nic)).toEqual({ status: 'on' });
  });
});
