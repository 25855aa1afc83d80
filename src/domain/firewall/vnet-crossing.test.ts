import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { evaluate } from './evaluate';
import type { LiveCluster, LiveGuestOptions, LiveNic, LiveNodeOptions, LiveRule, LiveVnet } from './live-state';
import type { Packet } from './packet';
import { prepareGuest } from './prepare-guest';
import { ruleAt } from './rule-at';

const ip = (text: string) => parseIp(text) ?? { family: 4 as const, value: 0n };
const buildRules = (rules: readonly Partial<LiveRule>[]): LiveRule[] =>
  rules.map((rule, pos) => ({ pos, type: 'forward', action: 'ACCEPT', enable: 1, ...rule }));
const VNET: LiveVnet = {
  options: { enable: 1, policy_forward: 'DROP' },
  rules: buildRules([{ proto: 'tcp', dport: '443' }]),
  gateways: [],
};

type Setup = {
  vnet?: Partial<LiveVnet>;
  cluster?: Partial<LiveCluster>;
  node?: LiveNodeOptions;
  guest?: LiveGuestOptions;
  rules?: readonly Partial<LiveRule>[];
  nic?: Partial<LiveNic>;
};

function buildState({ vnet, cluster, node, guest, rules }: Setup) {
  const open = [{ type: 'in' }, { type: 'out' }];
  return {
    cluster: {
      firewall_enabled: true,
      groups: {},
      ipsets: {},
      aliases: {},
      options: {},
      rules: [],
      vnets: { apps: { ...VNET, ...vnet } },
      ...cluster,
    },
    guest: { options: { enable: 1, ...guest }, rules: buildRules(rules ?? open), ipsets: {}, aliases: {} },
    node: { options: { nftables: 1, ...node }, networks: ['10.0.0.2/24'], rules: [] },
  };
}

function verdict(setup: Setup, packet: Partial<Packet> = {}) {
  const nic = { name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01', bridge: 'apps', ...setup.nic };
  return evaluate(prepareGuest(buildState(setup), nic), {
    direction: 'in',
    source: ip('192.0.2.1'),
    destination: ip('10.9.0.9'),
    protocol: 6,
    source_port: 40000,
    destination_port: 80,
    ...packet,
  });
}

const OUT = { direction: 'out', source: ip('10.9.0.9'), destination: ip('192.0.2.1') } as const;
const DROPPED = { verdict: 'drop', decided_by: { kind: 'default', policy: 'DROP', scope: 'vnet', name: 'apps' } };
const unknown = (reason: string) => ({ verdict: 'unknown', decided_by: { kind: 'unknown', reason } });

describe('the firewall of a VNet in verdicts of a guest', () => {
  it('filters packets that the guest itself accepts, in both directions', () => {
    expect(verdict({})).toEqual(DROPPED);
    expect(verdict({}, OUT)).toEqual(DROPPED);
    expect(verdict({}, { destination_port: 443 }).decided_by).toEqual({ kind: 'rule', position: 0 });
  });

  it('names the rule of the VNet, which is not one of the guest', () => {
    const setup = { vnet: { rules: buildRules([{}, { action: 'DROP' }].reverse()) } };
    const { decided_by } = verdict(setup);
    expect(decided_by).toEqual({ kind: 'rule', position: 0, scope: 'vnet', name: 'apps' });
    if (decided_by.kind !== 'rule') throw new Error('a rule decides');
    expect(ruleAt(buildState(setup), decided_by)).toMatchObject({
      rule: { type: 'forward', action: 'DROP' },
      own: false,
    });
  });

  it('comes before the guest on the way in, and after it on the way out', () => {
    const rules = [
      { type: 'in', action: 'DROP' },
      { type: 'out', action: 'DROP' },
    ];
    expect(verdict({ rules })).toEqual(DROPPED);
    expect(verdict({ rules }, OUT).decided_by).toEqual({ kind: 'rule', position: 1 });
  });

  it('filters guests whose own firewall is off', () => {
    expect(verdict({ guest: { enable: 0 } })).toEqual(DROPPED);
    expect(verdict({ nic: { firewall: false } })).toEqual(DROPPED);
  });

  it('drops ICMP errors of no connection, which the guest would accept', () => {
    const packet = { protocol: 1, icmp_type: 3 };
    expect(verdict({ vnet: { options: {} } }, packet).verdict).toBe('accept');
    expect(verdict({}, packet)).toEqual({ verdict: 'drop', decided_by: { kind: 'builtin', name: 'invalid' } });
  });

  it('accepts established packets', () => {
    expect(verdict({}, { state: 'established' }).verdict).toBe('accept');
    expect(verdict({ cluster: { vnets: null } }, { state: 'related' }).verdict).toBe('accept');
  });

  it.each([
    ['with iptables', { node: { nftables: 0 } }],
    ['while the firewall of the cluster is off', { cluster: { firewall_enabled: false } }],
    ['while the firewall of the VNet is off', { vnet: { options: {} } }],
    ['on another bridge', { nic: { bridge: 'vmbr0' } }],
    ['on a bridge that is no VNet', { nic: { bridge: 'office' } }],
    ['on a bridge that cannot be a VNet, with VNets unread', { nic: { bridge: 'vmbr0' }, cluster: { vnets: null } }],
  ])('filters nothing %s', (_, setup) => {
    expect(verdict(setup).verdict).toBe('accept');
  });

  it.each([
    ['the options', { vnet: { options: null } }],
    ['the rules', { vnet: { rules: null } }],
    ['the VNets', { cluster: { vnets: null } }],
  ])('makes the verdict unknown where %s could not be read and the guest accepts', (_, setup) => {
    expect(verdict(setup)).toMatchObject(unknown('unknown_forward_rules'));
    expect(verdict({ ...setup, rules: [{ type: 'in', action: 'DROP' }] }).verdict).toBe('drop');
  });

  it('applies where the other end is in the subnet, and is unknown where the node may route past it', () => {
    const vnet = { gateways: ['10.9.0.1/24'] };
    expect(verdict({ vnet }, { source: ip('10.9.0.5') })).toEqual(DROPPED);
    // The node may route it past the VNet, or another guest may.
    expect(verdict({ vnet })).toMatchObject(unknown('unknown_route'));
    expect(verdict({ vnet, cluster: { options: { policy_forward: 'DROP' } } }).verdict).toBe('drop');
    expect(verdict({ vnet: { ...vnet, rules: buildRules([{}]) } }).verdict).toBe('accept');
  });

  it('filters between a guest and its gateway while the firewall of the node is on', () => {
    const vnet = { gateways: ['10.9.0.1/24'] };
    const packet = { ...OUT, destination: ip('10.9.0.1') };
    expect(verdict({ vnet }, packet)).toEqual(DROPPED);
    expect(verdict({ vnet, node: { enable: 0 } }, packet).verdict).toBe('accept');
  });
});
