import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { evaluateNode } from './evaluate-node';
import type { LiveCluster, LiveNode, LiveRule } from './live-state';
import type { Packet } from './packet';
import { prepareNodeFilter } from './prepare-node-filter';

const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const buildRules = (rules: readonly Partial<LiveRule>[]): LiveRule[] =>
  rules.map((rule, pos) => ({ pos, type: 'in', action: 'ACCEPT', enable: 1, ...rule }));

const NODE: LiveNode = { options: {}, networks: ['10.0.0.2/24'], rules: [] };
const OTHER: LiveNode = { options: {}, networks: ['10.0.0.3/24'], rules: [] };

function verdict(packet: Partial<Packet>, node: Partial<LiveNode> = {}, cluster: Partial<LiveCluster> = {}) {
  const state: LiveCluster = {
    firewall_enabled: true,
    groups: {},
    ipsets: {},
    aliases: {},
    options: {},
    rules: [],
    nodes: { one: { ...NODE, ...node }, two: OTHER },
    ...cluster,
  };
  return evaluateNode(prepareNodeFilter(state, 'one'), {
    direction: 'in',
    source: ip('192.0.2.1'),
    destination: ip('10.0.0.2'),
    protocol: 6,
    source_port: 40000,
    destination_port: 443,
    ...packet,
  });
}

const OUT = { direction: 'out', source: ip('10.0.0.2'), destination: ip('192.0.2.1') } as const;
const builtin = (name: string) => ({ kind: 'builtin', name });
const unknown = (reason: string) => ({ verdict: 'unknown', decided_by: { kind: 'unknown', reason } });

describe('evaluateNode', () => {
  it('evaluates rules of the node before rules of the data center', () => {
    const own = { rules: buildRules([{ proto: 'tcp', dport: '443' }]) };
    const shared = { rules: buildRules([{ action: 'DROP', proto: 'udp' }, { action: 'REJECT' }]) };
    const rule = { kind: 'rule', scope: 'datacenter', position: 1 };
    expect(verdict({}, own, shared).decided_by).toEqual({ kind: 'rule', scope: 'node', position: 0 });
    expect(verdict({ destination_port: 80 }, own, shared)).toEqual({ verdict: 'reject', decided_by: rule });
  });

  it('evaluates security groups at either scope', () => {
    const groups = { web: buildRules([{ proto: 'tcp', dport: '443' }]) };
    const rules = buildRules([{ type: 'group', action: 'web' }]);
    const place = { kind: 'rule', position: 0, group: 'web', group_position: 0 };
    expect(verdict({}, { rules }, { groups }).decided_by).toEqual({ ...place, scope: 'node' });
    expect(verdict({}, {}, { rules, groups }).decided_by).toEqual({ ...place, scope: 'datacenter' });
  });

  it.each([
    [{}, 'drop', 'DROP'],
    [{ policy_in: 'ACCEPT' }, 'accept', 'ACCEPT'],
    [{ policy_in: 'REJECT' }, 'reject', 'REJECT'],
  ])('ends with the default policy of the data center: %j', (options, outcome, policy) => {
    expect(verdict({}, {}, { options })).toEqual({ verdict: outcome, decided_by: { kind: 'default', policy } });
  });

  it('accepts what the node sends by default, and answers what it rejects for any protocol', () => {
    expect(verdict(OUT).decided_by).toEqual({ kind: 'default', policy: 'ACCEPT' });
    const options = { policy_out: 'REJECT' };
    for (const protocol of [6, 17, 47]) expect(verdict({ ...OUT, protocol }, {}, { options }).verdict).toBe('reject');
  });

  it.each([8006, 5900, 5999, 3128, 22, 60000, 60050])('accepts port %i from the management network', (port) => {
    const packet = { destination_port: port };
    expect(verdict({ ...packet, source: ip('10.0.0.9') }).decided_by).toEqual(builtin('management'));
    expect(verdict(packet).decided_by).toEqual({ kind: 'default', policy: 'DROP' });
    const ipsets = { management: [{ cidr: '192.0.2.0/24' }] };
    expect(verdict(packet, {}, { ipsets }).decided_by).toEqual(builtin('management'));
    expect(verdict({ ...packet, protocol: 17 }, {}, { ipsets }).verdict).toBe('drop');
  });

  it('evaluates rules before it opens the standard services', () => {
    const packet = { destination_port: 22, source: ip('10.0.0.9') };
    expect(verdict(packet, { rules: buildRules([{ action: 'DROP', proto: 'tcp', dport: '22' }]) }).verdict).toBe(
      'drop',
    );
  });

  it('takes the alias local_network for the management network, else the only network of the node', () => {
    const packet = { destination_port: 8006, source: ip('10.0.0.9') };
    const aliases = { local_network: '192.0.2.0/24' };
    expect(verdict(packet, {}, { aliases }).verdict).toBe('drop');
    expect(verdict({ destination_port: 8006 }, {}, { aliases }).verdict).toBe('accept');
    const two = { networks: ['10.0.0.2/24', '10.9.0.2/24'] };
    expect(verdict(packet, two)).toMatchObject(unknown('unknown_management_network'));
    expect(verdict({ destination_port: 8006 }, two).verdict).toBe('drop');
    expect(verdict(packet, { networks: null })).toMatchObject(unknown('unknown_management_network'));
  });

  it('keeps an exception of the set management out although its network is in', () => {
    const ipsets = { management: [{ cidr: '10.0.0.9', nomatch: 1 }] };
    expect(verdict({ destination_port: 22, source: ip('10.0.0.9') }, {}, { ipsets }).verdict).toBe('drop');
    expect(verdict({ destination_port: 22, source: ip('10.0.0.8') }, {}, { ipsets }).verdict).toBe('accept');
  });

  it('opens the way out to the standard services of the local network only', () => {
    const options = { policy_out: 'DROP' };
    const packet = { ...OUT, destination: ip('10.0.0.9'), destination_port: 8006 };
    expect(verdict(packet, {}, { options }).decided_by).toEqual(builtin('management'));
    expect(verdict({ ...packet, destination_port: 60000 }, {}, { options }).verdict).toBe('drop');
    const ipsets = { management: [{ cidr: '192.0.2.0/24' }] };
    expect(verdict({ ...OUT, destination_port: 8006 }, {}, { options, ipsets }).verdict).toBe('drop');
  });

  it('returns unknown for corosync between nodes and drops it from any other address', () => {
    const corosync = { protocol: 17, destination_port: 5405 };
    expect(verdict({ ...corosync, source: ip('10.0.0.3') })).toMatchObject(unknown('unknown_corosync_links'));
    const multicast = { ...corosync, destination: ip('239.192.1.1') };
    expect(verdict(multicast)).toMatchObject(unknown('unknown_corosync_links'));
    expect(verdict({ ...corosync, source: ip('10.0.0.4') }).verdict).toBe('drop');
    expect(verdict({ ...corosync, source: ip('10.0.0.3'), destination_port: 5406 }).verdict).toBe('drop');
    const alone = { nodes: { one: NODE } };
    expect(verdict({ ...corosync, source: ip('10.0.0.3') }, {}, alone).verdict).toBe('drop');
  });

  it('drops invalid packets whatever nf_conntrack_allow_invalid says, which is for guests', () => {
    const open = { options: { nf_conntrack_allow_invalid: 1 }, rules: buildRules([{}]) };
    expect(verdict({ state: 'invalid' }, open).decided_by).toEqual(builtin('invalid'));
    expect(verdict({ state: 'established' }).decided_by).toEqual(builtin('established'));
  });

  it('drops the blacklist and smurfs, and accepts IGMP and neighbor discovery, before every rule', () => {
    const ipsets = { blacklist: [{ cidr: '192.0.2.1' }] };
    const open = { rules: buildRules([{}]) };
    expect(verdict({}, open, { ipsets }).decided_by).toEqual(builtin('blacklist'));
    expect(verdict({ source: ip('10.0.0.255') }, open).decided_by).toEqual(builtin('smurf'));
    const closed = { rules: buildRules([{ action: 'DROP' }]) };
    expect(verdict({ protocol: 2 }, closed).decided_by).toEqual(builtin('igmp'));
    const solicitation = { source: ip('fd00::1'), destination: ip('fd00::2'), protocol: 58, icmp_type: 135 };
    expect(verdict(solicitation, closed).decided_by).toEqual(builtin('ndp'));
    expect(verdict(solicitation, { ...closed, options: { ndp: 0 } }).verdict).toBe('drop');
  });

  it('accepts while the firewall of the cluster or of the node is off', () => {
    const reason = (name: string) => ({ verdict: 'accept', decided_by: { kind: 'not_enforced', reason: name } });
    expect(verdict({}, {}, { firewall_enabled: false })).toEqual(reason('cluster_firewall_off'));
    expect(verdict({}, { options: { enable: 0 } })).toEqual(reason('node_firewall_off'));
  });

  it.each([
    ['unknown_cluster_firewall', {}, { firewall_enabled: null }],
    ['unknown_node_options', { options: null, implementation: 'iptables' as const }, {}],
    ['unknown_node_rules', { rules: null }, {}],
    ['unknown_node_rules', {}, { rules: null }],
    ['unknown_group', { rules: buildRules([{ type: 'group', action: 'web' }]) }, { groups: null }],
    ['unknown_cluster_options', {}, { options: null }],
    ['unknown_packet_detail', { rules: buildRules([{ iface: 'vmbr0' }]) }, {}],
    ['node_cannot_compile', { compile_failure: { since: '2026-11-23T00:00:00Z', failures: [] } }, {}],
  ])('returns unknown where the deciding part is unknown: %s', (reason, node, cluster) => {
    expect(verdict({}, node, cluster)).toMatchObject(unknown(reason));
  });

  it('returns unknown where the implementation is unknown and both decide differently', () => {
    const ping = { protocol: 1, icmp_type: 8 };
    const cluster = { options: { policy_in: 'REJECT' } };
    expect(verdict(ping, {}, cluster).verdict).toBe('drop');
    expect(verdict(ping, { options: { nftables: 1 } }, { ...cluster, vnets: {} }).verdict).toBe('reject');
    expect(verdict(ping, { options: null }, { ...cluster, vnets: {} })).toMatchObject(
      unknown('unknown_implementation'),
    );
  });

  it('names the rules that may decide, with their scope', () => {
    const rules = buildRules([{ source: '+gone' }]);
    const place = { scope: 'datacenter', position: 0 };
    expect(verdict({}, {}, { rules }).decided_by).toEqual({
      kind: 'unknown',
      reason: 'unknown_reference',
      places: [place],
    });
  });
});
