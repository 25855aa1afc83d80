import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { evaluateNode } from './evaluate-node';
import type { LiveCluster, LiveNodeOptions, LiveRule } from './live-state';
import type { Packet } from './packet';
import { prepareNodeFilter } from './prepare-node-filter';

/** Vectors for a node's own traffic, written manually from the nftables implementation's skeleton and generator. */
const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const buildRules = (rules: readonly Partial<LiveRule>[]): LiveRule[] =>
  rules.map((rule, pos) => ({ pos, type: 'in', action: 'ACCEPT', enable: 1, ...rule }));

type Setup = { options?: LiveNodeOptions; rules?: readonly Partial<LiveRule>[]; cluster?: Partial<LiveCluster> };

function verdict({ options, rules, cluster }: Setup, packet: Partial<Packet>) {
  const node = { options: { nftables: 1, ...options }, networks: ['10.0.0.2/24'], rules: buildRules(rules ?? []) };
  const state: LiveCluster = {
    firewall_enabled: true,
    groups: {},
    ipsets: {},
    aliases: {},
    options: {},
    rules: [],
    vnets: {},
    nodes: { one: node },
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
const accepted = (name: string) => ({ verdict: 'accept', decided_by: builtin(name) });
const dropped = (name: string) => ({ verdict: 'drop', decided_by: builtin(name) });
const OPEN = { rules: [{}, { type: 'out' }] };
const CLOSED = { rules: [{ action: 'DROP' }, { action: 'DROP', type: 'out' }] };

describe('evaluateNode with nftables', () => {
  it('accepts vital ICMP before rules, in both directions', () => {
    expect(verdict(CLOSED, { protocol: 1, icmp_type: 3 })).toEqual(accepted('vital_icmp'));
    expect(verdict(CLOSED, { ...OUT, protocol: 1, icmp_type: 11 })).toEqual(accepted('vital_icmp'));
  });

  it('drops invalid packets unless the option of the node lets them through', () => {
    const packet = { state: 'invalid' } as const;
    expect(verdict(OPEN, packet)).toEqual(dropped('invalid'));
    expect(verdict({ ...OPEN, options: { nf_conntrack_allow_invalid: 1 } }, packet).verdict).toBe('accept');
  });

  it('accepts the services of the cluster before rules that drop them, not the ports of a migration', () => {
    const packet = { source: ip('10.0.0.9') };
    expect(verdict(CLOSED, { ...packet, destination_port: 22 })).toEqual(accepted('management'));
    expect(verdict(CLOSED, { ...packet, destination_port: 60000 }).verdict).toBe('drop');
    expect(verdict(CLOSED, { destination_port: 22 }).decided_by).toMatchObject({ kind: 'rule' });
  });

  it('takes exceptions of the set management out, also from the local network', () => {
    const cluster = { ipsets: { management: [{ cidr: '10.0.0.9', nomatch: 1 }] } };
    const packet = { source: ip('10.0.0.9'), destination_port: 8006 };
    expect(verdict({ ...CLOSED, cluster }, packet).verdict).toBe('drop');
    expect(verdict({ ...CLOSED, cluster }, { ...packet, source: ip('10.0.0.8') })).toEqual(accepted('management'));
  });

  it('accepts the ports of corosync from everywhere', () => {
    for (const destination_port of [5405, 5412]) {
      expect(verdict(CLOSED, { protocol: 17, destination_port })).toEqual(accepted('corosync'));
    }
    expect(verdict(CLOSED, { protocol: 17, destination_port: 5404 }).verdict).toBe('drop');
  });

  it('rejects Windows noise and drops UPnP and DNS replies before rules that accept them', () => {
    const noise = { verdict: 'reject', decided_by: builtin('windows_noise') };
    expect(verdict(OPEN, { destination_port: 445 })).toEqual(noise);
    expect(verdict(OPEN, { protocol: 17, source_port: 137, destination_port: 1024 })).toEqual(noise);
    expect(verdict(OPEN, { protocol: 17, destination_port: 1900 })).toEqual(dropped('upnp'));
    expect(verdict(OPEN, { protocol: 17, source_port: 53 })).toEqual(dropped('dns_reply'));
    expect(verdict(OPEN, { ...OUT, destination_port: 445 }).verdict).toBe('accept');
  });

  it('opens the port of a connection tracking helper', () => {
    const setup = { ...CLOSED, options: { nf_conntrack_helpers: 'ftp,tftp' } };
    expect(verdict(setup, { destination_port: 21 })).toEqual(accepted('conntrack_helper'));
    expect(verdict(setup, { protocol: 17, destination_port: 69 })).toEqual(accepted('conntrack_helper'));
    expect(verdict(setup, { destination_port: 6667 }).verdict).toBe('drop');
  });

  it('drops every new TCP connection with the option protection_synflood, also within its limit', () => {
    const setup = { ...OPEN, options: { protection_synflood: 1 } };
    expect(verdict(setup, {})).toEqual(dropped('synflood'));
    expect(verdict(setup, { tcp_syn: false }).verdict).toBe('accept');
    expect(verdict(setup, { source: ip('10.0.0.9'), destination_port: 22 })).toEqual(accepted('management'));
  });

  it('drops what goes to a broadcast address or comes from a multicast address', () => {
    const destination = ip('10.0.0.255');
    expect(verdict(OPEN, { protocol: 17, destination })).toEqual(dropped('smurf'));
    expect(verdict(OPEN, { source: ip('224.0.0.5') })).toEqual(dropped('smurf'));
    expect(verdict(OPEN, { source: ip('0.0.0.0'), destination }).verdict).toBe('accept');
    expect(verdict({ ...OPEN, options: { nosmurfs: 0 } }, { destination }).verdict).toBe('accept');
    // With iptables it is the source that must not be a broadcast address.
    expect(verdict(OPEN, { source: ip('10.0.0.255') }).verdict).toBe('accept');
  });

  it('has no blacklist', () => {
    const cluster = { ipsets: { blacklist: [{ cidr: '192.0.2.1' }] } };
    expect(verdict({ ...OPEN, cluster }, {}).verdict).toBe('accept');
  });

  it('drops neighbor discovery where the option ndp is off', () => {
    const packet = { source: ip('fd00::1'), destination: ip('fd00::2'), protocol: 58, icmp_type: 135 };
    expect(verdict(CLOSED, packet)).toEqual(accepted('ndp'));
    expect(verdict({ ...OPEN, options: { ndp: 0 } }, packet)).toEqual(dropped('ndp_blocked'));
  });

  it('answers what it rejects, ICMP too, except to or from many', () => {
    const cluster = { options: { policy_in: 'REJECT', policy_out: 'REJECT' } };
    for (const end of [{}, OUT]) {
      for (const protocol of [1, 17, 47]) {
        expect(verdict({ cluster }, { ...end, protocol, icmp_type: 8 }).verdict).toBe('reject');
      }
    }
    expect(verdict({ cluster }, { ...OUT, protocol: 17, destination: ip('224.0.0.5') }).verdict).toBe('drop');
  });

  it('passes the firewall of the VNet that the other end is in', () => {
    const vnet = (gateways: readonly string[]) => ({
      options: { enable: 1, policy_forward: 'DROP' },
      rules: buildRules([{ type: 'forward', proto: 'tcp', dport: '443' }]),
      gateways,
    });
    const cluster = { vnets: { apps: vnet(['10.9.0.1/24']), dmz: vnet([]) } };
    const setup = { ...OPEN, cluster };
    const inside = { source: ip('10.9.0.7') };
    const decided_by = { kind: 'default', policy: 'DROP', scope: 'vnet', name: 'apps' };
    expect(verdict(setup, { ...inside, destination_port: 80 })).toEqual({ verdict: 'drop', decided_by });
    expect(verdict(setup, inside).decided_by).toEqual({ kind: 'rule', scope: 'node', position: 0 });
    expect(verdict(setup, { destination_port: 80 }).verdict).toBe('accept');
    const out = { ...OUT, destination: ip('10.9.0.7'), destination_port: 80 };
    expect(verdict(setup, out)).toEqual({ verdict: 'drop', decided_by });
    expect(verdict({ ...CLOSED, cluster }, out).decided_by).toMatchObject({ kind: 'rule', scope: 'node' });
    expect(verdict({ ...OPEN, cluster: { vnets: null } }, {}).decided_by).toMatchObject({
      kind: 'unknown',
      reason: 'unknown_forward_rules',
    });
  });
});
