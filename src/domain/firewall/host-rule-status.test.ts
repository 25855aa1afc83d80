import { describe, expect, it } from 'vitest';
import { parseIp } from '../net/ip-address';
import { evaluateForward, prepareForwardFilter } from './evaluate-forward';
import { evaluateNode } from './evaluate-node';
import { type HostRuleStatus, hostRuleStatus } from './host-rule-status';
import type { LiveCluster, LiveNode, LiveRule, LiveVnet } from './live-state';
import { prepareNodeFilter } from './prepare-node-filter';

const cluster: LiveCluster = {
  firewall_enabled: true,
  groups: { web: [] },
  ipsets: {},
  aliases: {},
  options: {},
  rules: [],
};
const node = (options: LiveNode['options'], more: Partial<LiveNode> = {}): LiveNode => ({
  options,
  networks: ['10.0.0.1/24'],
  rules: [],
  ...more,
});
const IPTABLES = node({});
const NFTABLES = node({ nftables: 1 });
const rule = (more: Partial<LiveRule> = {}): LiveRule => ({ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, ...more });
const FORWARD = rule({ type: 'forward' });
const vnet: LiveVnet = { options: { enable: 1 }, rules: [] };

const ip = (text: string) => parseIp(text) ?? expect.unreachable();
const packet = {
  source: ip('192.0.2.9'),
  destination: ip('10.0.0.1'),
  protocol: 6,
  source_port: 999,
  destination_port: 999,
} as const;

describe('the status of rules of nodes and data centers', () => {
  type Scope = 'node' | 'data_center' | 'vnet';

  /** What decides the verdict on a packet that the rule is for, with the rule stored in one place. */
  function decider(
    scope: Scope,
    live: LiveNode,
    firewall_enabled: boolean | null,
    options: LiveVnet['options'],
    rules: LiveRule[],
    forward: boolean,
  ) {
    const at = (place: Scope) => (place === scope ? rules : []);
    const nodes = { pve1: { ...live, rules: at('node') } };
    const stored = {
      ...cluster,
      firewall_enabled,
      rules: at('data_center'),
      nodes,
      vnets: { apps: { options, rules: at('vnet') } },
    };
    const verdict = forward
      ? evaluateForward(prepareForwardFilter(stored, { node: 'pve1', vnet: scope === 'vnet' ? 'apps' : null }), packet)
      : evaluateNode(prepareNodeFilter({ ...stored, vnets: {} }, 'pve1'), { ...packet, direction: 'in' });
    return verdict.decided_by;
  }

  it('says enforced exactly where the evaluator decides by the rule, in every place', () => {
    const wrong: string[] = [];
    const failure = { since: '2026-11-23T00:00:00Z', failures: [] };
    const nodes = [IPTABLES, node({ enable: 0 }), node({}, { compile_failure: failure }), NFTABLES];
    nodes.push(node({ nftables: 1, enable: 0 }));
    nodes.push(node(null, { implementation: 'iptables' }), node(null, { implementation: 'nftables' }), node(null));
    const rules = [rule(), rule({ enable: 0 }), rule({ errors: { dest: 'no such alias' } }), FORWARD];
    rules.push({ ...FORWARD, enable: 0 });
    let enforced = 0;
    for (const live of nodes) {
      for (const firewall_enabled of [true, false, null]) {
        for (const scope of ['node', 'data_center', 'vnet'] as const) {
          const stored: LiveVnet['options'][] = scope === 'vnet' ? [{ enable: 1 }, {}, null] : [{}];
          for (const options of stored) {
            for (const one of rules) {
              const forward = scope === 'vnet' || one.type === 'forward';
              const place = {
                scope,
                cluster: { ...cluster, firewall_enabled },
                nodes: [live],
                vnet: { options, rules: [] },
              };
              const { status, reason } = hostRuleStatus(place, one);
              const by = decider(scope, live, firewall_enabled, options, [one], forward);
              const without = decider(scope, live, firewall_enabled, options, [], forward);
              if (status === 'enforced') enforced += 1;
              const right =
                status === 'enforced'
                  ? by.kind === 'rule'
                  : status === 'unknown'
                    ? by.kind === 'unknown' || by.kind === 'rule' || by.kind === 'not_enforced'
                    : JSON.stringify(by) === JSON.stringify(without);
              if (!right)
                wrong.push(JSON.stringify({ live, firewall_enabled, scope, options, one, status, reason, by }));
            }
          }
        }
      }
    }
    expect(enforced).toBeGreaterThan(5);
    expect(wrong.slice(0, 2)).toEqual([]);
  });

  const cases: [string, Parameters<typeof hostRuleStatus>, HostRuleStatus][] = [
    [
      'forward under iptables',
      [{ scope: 'node', cluster, nodes: [IPTABLES] }, FORWARD],
      { status: 'not_enforced', reason: 'iptables' },
    ],
    [
      'forward under nftables',
      [{ scope: 'node', cluster, nodes: [NFTABLES] }, FORWARD],
      { status: 'enforced', reason: null },
    ],
    [
      'forward on a node of which nothing is known',
      [{ scope: 'node', cluster, nodes: [null] }, FORWARD],
      { status: 'unknown', reason: 'unknown_implementation' },
    ],
    [
      'forward on nodes of both implementations',
      [{ scope: 'data_center', cluster, nodes: [NFTABLES, IPTABLES] }, FORWARD],
      { status: 'partly_enforced', reason: 'iptables' },
    ],
    [
      'inbound where one node is switched off',
      [{ scope: 'data_center', cluster, nodes: [node({ enable: 0 }), IPTABLES] }, rule()],
      { status: 'partly_enforced', reason: 'node_firewall_off' },
    ],
    [
      'inbound where one node is switched off and the other not known',
      [{ scope: 'data_center', cluster, nodes: [node({ enable: 0 }), null] }, rule()],
      { status: 'unknown', reason: 'unknown_node_options' },
    ],
    [
      'of a data center without a known node',
      [{ scope: 'data_center', cluster, nodes: [] }, rule()],
      { status: 'unknown', reason: 'unknown_node_options' },
    ],
    [
      'that refers to a group which is not there',
      [{ scope: 'node', cluster, nodes: [IPTABLES] }, rule({ type: 'group', action: 'gone' })],
      { status: 'not_enforced', reason: 'group_missing' },
    ],
    [
      'that refers to a group while groups could not be read',
      [
        { scope: 'node', cluster: { ...cluster, groups: null }, nodes: [IPTABLES] },
        rule({ type: 'group', action: 'web' }),
      ],
      { status: 'unknown', reason: 'unknown_group' },
    ],
    [
      'of a VNet on nftables',
      [{ scope: 'vnet', cluster, nodes: [NFTABLES], vnet }, FORWARD],
      { status: 'enforced', reason: null },
    ],
    [
      'of a VNet on nftables whose node does not filter its own traffic',
      [{ scope: 'vnet', cluster, nodes: [node({ nftables: 1, enable: 0 })], vnet }, FORWARD],
      { status: 'enforced', reason: null },
    ],
    [
      'of a VNet that is off by default',
      [{ scope: 'vnet', cluster, nodes: [NFTABLES], vnet: { options: {}, rules: [] } }, FORWARD],
      { status: 'not_enforced', reason: 'vnet_firewall_off' },
    ],
    [
      'of a VNet whose options could not be read',
      [{ scope: 'vnet', cluster, nodes: [NFTABLES], vnet: { options: null, rules: [] } }, FORWARD],
      { status: 'unknown', reason: 'unknown_vnet_options' },
    ],
    [
      'inbound of a VNet',
      [{ scope: 'vnet', cluster, nodes: [NFTABLES], vnet }, rule()],
      { status: 'not_enforced', reason: 'direction' },
    ],
  ];
  it.each(cases)('matches the expected status for a rule %s', (_, given, expected) => {
    expect(hostRuleStatus(...given)).toEqual(expected);
  });
});
