import { describe, expect, it } from 'vitest';
import { compileFailuresOf, guestCompileFailures, nodeCompileFailures } from './compile-failure';
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
const ofRule = (fields: Partial<LiveRule>, other: Partial<Guest> = {}) =>
  guestCompileFailures(CLUSTER, 100, guest({ rules: [rule(fields)], ...other }));
const ofSet = (entries: readonly LiveSetEntry[], aliases: Record<string, string> = {}) =>
  guestCompileFailures(CLUSTER, 100, guest({ ipsets: { peers: entries }, aliases, options: { enable: 0 } }));

// Outcomes of iptables-restore 1.8.9 on Debian 12, in the form in which the hypervisor writes a single port and a list.
const PORTS: readonly (readonly [proto: string, ports: string, refused: string | null])[] = [
  ['tcp', 'ssh', null],
  ['tcp', 'tftp', 'tcp/tftp'],
  ['tcp', 'ntp', 'tcp/ntp'],
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
  it.each(PORTS)('judges -p %s and ports %s as iptables-restore does: %s', (proto, ports, refused) => {
    expect(ofRule({ proto, dport: ports }).map(({ detail }) => detail)).toEqual(refused ? [refused] : []);
    expect(ofRule({ proto, dport: '80', sport: ports }).map(({ detail }) => detail)).toEqual(
      proto === 'udplite' ? ['udplite/80'] : refused ? [refused] : [],
    );
  });

  it('names the rule that is refused', () => {
    expect(ofRule({ pos: 3, proto: 'tcp', dport: 'tftp' })).toEqual([
      { reason: 'service_without_protocol', scope: 'guest', vmid: 100, position: 3, detail: 'tcp/tftp' },
    ]);
  });

  it('ignores rules that are not compiled', () => {
    const bad = { proto: 'tcp', dport: 'tftp' };
    expect(ofRule({ ...bad, enable: 0 })).toEqual([]);
    expect(ofRule({ ...bad, errors: { dport: 'invalid' } })).toEqual([]);
    expect(ofRule({ ...bad, iface: 'net1' })).toEqual([]);
    expect(ofRule(bad, { options: {} })).toEqual([]);
    expect(ofRule(bad, { nics: [{ name: 'net0', firewall: false, mac: null }] })).toEqual([]);
    expect(ofRule(bad, { nics: null })).toHaveLength(1);
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
    expect(ofSet([{ cidr: 'any4' }], all)).toMatchObject([{ reason: 'set_entry_covers_everything', set: 'peers' }]);
    expect(ofSet([{ cidr: 'guest/any6' }], all)).toMatchObject([{ reason: 'set_entry_covers_everything' }]);
    expect(ofSet([{ cidr: 'host' }, { cidr: '10.1.0.0/16' }], all)).toMatchObject([{ reason: 'set_entry_repeated' }]);
    expect(ofSet([{ cidr: 'net' }, { cidr: '10.1.0.0/16', nomatch: 1 }], all)).toEqual([]);
    expect(ofSet([{ cidr: 'host' }], all)).toEqual([]);
    expect(ofSet([{ cidr: 'v6' }, { cidr: 'fe80::/10' }], all)).toMatchObject([{ detail: 'fe80::/10' }]);
    expect(ofSet([{ cidr: 'any4', errors: { cidr: 'no such alias' } }], all)).toEqual([]);
    expect(ofSet([{ cidr: 'absent' }])).toEqual([]);
  });

  it('counts what the hypervisor adds to an address filter', () => {
    const ipsets = { 'ipfilter-net0': [{ cidr: 'ours' }] };
    expect(guestCompileFailures(CLUSTER, 100, guest({ ipsets, aliases: { ours: 'fe80::5/10' } }))).toMatchObject([
      { reason: 'set_entry_repeated', set: 'ipfilter-net0', detail: 'ours (fe80::5/10)' },
    ]);
  });
});

describe('compileFailuresOf', () => {
  const node = (fields: Partial<LiveNode> = {}): LiveNode => ({ options: {}, networks: null, rules: [], ...fields });
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

  it('says nothing where the firewall is off or nftables compiles', () => {
    const found = ofRule({ proto: 'tcp', dport: 'tftp' });
    expect(compileFailuresOf(CLUSTER, node(), found)).toHaveLength(1);
    expect(compileFailuresOf({ ...CLUSTER, firewall_enabled: null }, null, found)).toHaveLength(1);
    expect(compileFailuresOf({ ...CLUSTER, firewall_enabled: false }, node(), found)).toEqual([]);
    expect(compileFailuresOf(CLUSTER, node({ options: { nftables: 1 } }), found)).toEqual([]);
  });

  it('names a failure of a group that many guests use once', () => {
    const found = [1, 2].flatMap(() => [{ reason: 'service_without_protocol', scope: 'group', detail: 'x' } as const]);
    expect(compileFailuresOf(CLUSTER, null, found)).toHaveLength(1);
  });
});
