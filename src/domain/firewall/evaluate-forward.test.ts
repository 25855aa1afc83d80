import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { evaluateForward, type ForwardedPacket, prepareForwardFilter } from './evaluate-forward';
import type { LiveCluster, LiveNode, LiveRule } from './live-state';

/** Vectors written manually from the skeleton and the generator of the nftables implementation. */
const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const buildRules = (rules: readonly Partial<LiveRule>[]): LiveRule[] =>
  rules.map((rule, pos) => ({ pos, type: 'forward', action: 'ACCEPT', enable: 1, ...rule }));

const NODE: LiveNode = { options: { nftables: 1 }, networks: ['10.0.0.2/24'], rules: [] };
const WEB = { proto: 'tcp', dport: '443' };

type Setup = {
  cluster?: Partial<LiveCluster>;
  node?: Partial<LiveNode>;
  vnet?: string;
  packet?: Partial<ForwardedPacket>;
};

function verdict({ cluster, node, vnet, packet }: Setup) {
  const state: LiveCluster = {
    firewall_enabled: true,
    groups: {},
    ipsets: {},
    aliases: {},
    options: {},
    rules: [],
    vnets: {},
    nodes: { one: { ...NODE, ...node } },
    ...cluster,
  };
  return evaluateForward(prepareForwardFilter(state, { node: 'one', vnet: vnet ?? null }), {
    source: ip('192.0.2.1'),
    destination: ip('198.51.100.1'),
    protocol: 6,
    source_port: 40000,
    destination_port: 443,
    ...packet,
  });
}

const unknown = (reason: string) => ({ verdict: 'unknown', decided_by: { kind: 'unknown', reason } });
const off = (reason: string) => ({ verdict: 'accept', decided_by: { kind: 'not_enforced', reason } });
const DROP = { policy_forward: 'DROP' };

describe('evaluateForward of routed packets', () => {
  it('evaluates rules of the node before rules of the data center', () => {
    const setup = {
      node: { rules: buildRules([WEB]) },
      cluster: { rules: buildRules([{ action: 'DROP', proto: 'udp' }, { action: 'DROP' }]) },
    };
    expect(verdict(setup)).toEqual({ verdict: 'accept', decided_by: { kind: 'rule', scope: 'node', position: 0 } });
    const rule = { kind: 'rule', scope: 'datacenter', position: 1 };
    expect(verdict({ ...setup, packet: { destination_port: 80 } })).toEqual({ verdict: 'drop', decided_by: rule });
  });

  it('ends with the forward policy of the data center, which accepts unless it is set', () => {
    const scope = 'datacenter';
    expect(verdict({}).decided_by).toEqual({ kind: 'default', policy: 'ACCEPT', scope });
    const decided_by = { kind: 'default', policy: 'DROP', scope };
    expect(verdict({ cluster: { options: DROP } })).toEqual({ verdict: 'drop', decided_by });
  });

  it('leaves out rules of other directions and forward rules that name an interface', () => {
    const rules = buildRules([
      { type: 'in', action: 'DROP' },
      { type: 'out', action: 'DROP' },
      { action: 'DROP', iface: 'vmbr0' },
    ]);
    expect(verdict({ cluster: { rules } }).decided_by).toMatchObject({ kind: 'default' });
  });

  it('takes the forward rules of a security group', () => {
    const groups = {
      web: buildRules([
        { type: 'in', action: 'DROP' },
        { action: 'DROP', ...WEB },
      ]),
    };
    const rules = buildRules([{ type: 'group', action: 'web' }]);
    const place = { scope: 'node', position: 0, group: 'web', group_position: 1 };
    expect(verdict({ cluster: { groups }, node: { rules } }).decided_by).toEqual({ kind: 'rule', ...place });
  });

  it('accepts established packets and drops invalid ones', () => {
    const cluster = { options: DROP };
    expect(verdict({ cluster, packet: { state: 'established' } }).verdict).toBe('accept');
    const invalid = { state: 'invalid' } as const;
    expect(verdict({ packet: invalid }).decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
    const node = { options: { nftables: 1, nf_conntrack_allow_invalid: 1 } };
    expect(verdict({ node, packet: invalid }).verdict).toBe('accept');
    // ICMP errors outside of a connection have no way around it, as they have at guests.
    expect(verdict({ packet: { protocol: 1, icmp_type: 3 } }).decided_by).toEqual({ kind: 'builtin', name: 'invalid' });
  });

  it('accepts while the firewall of the cluster or of the node is off', () => {
    expect(verdict({ cluster: { options: DROP, firewall_enabled: false } })).toEqual(off('cluster_firewall_off'));
    const node = { options: { nftables: 1, enable: 0 } };
    expect(verdict({ cluster: { options: DROP }, node })).toEqual(off('node_firewall_off'));
  });

  it('applies no rules on a node with iptables, which drops only invalid packets', () => {
    const setup = { cluster: { options: DROP }, node: { options: {}, rules: buildRules([{ action: 'DROP' }]) } };
    expect(verdict(setup)).toEqual(off('iptables_node'));
    expect(verdict({ ...setup, packet: { state: 'invalid' } }).verdict).toBe('drop');
  });

  it.each([
    ['unknown_cluster_firewall', { options: DROP, firewall_enabled: null }, {}],
    ['unknown_forward_rules', { rules: null }, {}],
    ['unknown_forward_rules', { options: null }, {}],
    ['unknown_forward_rules', {}, { rules: null }],
    ['unknown_node_options', { options: DROP }, { options: null, implementation: 'nftables' as const }],
    ['unknown_reference', { rules: buildRules([{ action: 'DROP', source: '+gone' }]) }, {}],
    ['node_cannot_compile', {}, { compile_failure: { since: '2026-11-23T00:00:00Z', failures: [] } }],
  ])('returns unknown where the deciding part is unknown: %s', (reason, cluster, node) => {
    expect(verdict({ cluster, node })).toMatchObject(unknown(reason));
  });
});

describe('evaluateForward of packets bridged within a VNet', () => {
  const vnets = { apps: { options: { enable: 1, ...DROP }, rules: buildRules([WEB]) } };

  it('evaluates the rules and the default policy of the VNet, and no others', () => {
    const setup = { vnet: 'apps', cluster: { vnets, rules: buildRules([{ action: 'DROP' }]) } };
    const scope = { scope: 'vnet', name: 'apps' };
    expect(verdict(setup)).toEqual({ verdict: 'accept', decided_by: { kind: 'rule', ...scope, position: 0 } });
    const decided_by = { kind: 'default', policy: 'DROP', ...scope };
    expect(verdict({ ...setup, packet: { destination_port: 80 } })).toEqual({ verdict: 'drop', decided_by });
  });

  it('filters also while the firewall of the node is off', () => {
    const setup = { vnet: 'apps', cluster: { vnets }, packet: { destination_port: 80 } };
    expect(verdict({ ...setup, node: { options: { nftables: 1, enable: 0 } } }).verdict).toBe('drop');
  });

  it('accepts unless the firewall of the VNet is on', () => {
    const { apps } = vnets;
    const without = { apps: { ...apps, options: DROP } };
    expect(verdict({ vnet: 'apps', cluster: { vnets: without } })).toEqual(off('vnet_firewall_off'));
    expect(verdict({ vnet: 'other', cluster: { vnets } })).toEqual(off('vnet_firewall_off'));
  });

  it('returns unknown where only nftables would drop and the implementation is unknown', () => {
    const setup = { vnet: 'apps', cluster: { vnets }, packet: { destination_port: 80 } };
    expect(verdict({ ...setup, node: { options: null } })).toMatchObject(unknown('unknown_implementation'));
    expect(verdict({ vnet: 'apps', cluster: { vnets }, node: { options: null } }).verdict).toBe('accept');
  });

  it.each([
    [null],
    [{ apps: { options: null, rules: buildRules([]) } }],
    [{ apps: { options: { enable: 1 }, rules: null } }],
  ])('returns unknown where the firewall of the VNet was not read: %j', (unread) => {
    expect(verdict({ vnet: 'apps', cluster: { vnets: unread } })).toMatchObject(unknown('unknown_forward_rules'));
  });
});
