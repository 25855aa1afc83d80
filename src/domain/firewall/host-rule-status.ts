import { compileDoubt } from './enforcement';
import { type HostScope, hostSwitch } from './host-options';
import type { FilterImplementation, LiveCluster, LiveNode, LiveRule, LiveVnet } from './live-state';
import { possibleImplementations } from './node-options';

export const HOST_RULE_STATUSES = [
  'enforced',
  /** On some of the nodes where it could be. */
  'partly_enforced',
  'not_enforced',
  'disabled',
  'invalid',
  'unknown',
] as const;

export const HOST_RULE_REASONS = [
  'cluster_firewall_off',
  'node_firewall_off',
  'vnet_firewall_off',
  /** Rules for forwarded traffic need nftables. */
  'iptables',
  /** VNets filter forwarded traffic only. */
  'direction',
  /** The security group does not exist. */
  'group_missing',
  'unknown_cluster_firewall',
  'unknown_node_options',
  'unknown_vnet_options',
  'unknown_implementation',
  'unknown_group',
  'node_cannot_compile',
] as const;
export type HostRuleReason = (typeof HOST_RULE_REASONS)[number];

/** Whether a rule of a data center, node or VNet filters anything, and why not. */
export type HostRuleStatus = {
  readonly status: (typeof HOST_RULE_STATUSES)[number];
  readonly reason: HostRuleReason | null;
};

/** Where a rule is stored, and the nodes on which it would be loaded. */
export type HostRulePlace = {
  readonly scope: HostScope;
  readonly cluster: Pick<LiveCluster, 'firewall_enabled' | 'groups'>;
  /** Null: nothing is known about the node. */
  readonly nodes: readonly (LiveNode | null)[];
  /** Of a rule of a VNet. */
  readonly vnet?: LiveVnet;
};

const ENFORCED: HostRuleStatus = { status: 'enforced', reason: null };
const off = (reason: HostRuleReason): HostRuleStatus => ({ status: 'not_enforced', reason });
const unknown = (reason: HostRuleReason): HostRuleStatus => ({ status: 'unknown', reason });

/** The first of the switches that is off, else the first that is not known. */
function evaluateSwitches(
  switches: readonly (readonly [boolean | null, HostRuleReason, HostRuleReason])[],
): HostRuleStatus | null {
  for (const [value, isOff] of switches) if (value === false) return off(isOff);
  for (const [value, , isUnknown] of switches) if (value === null) return unknown(isUnknown);
  return null;
}

/** Whether the node filters what rules of this direction are for. */
function getNodeStatus(
  { scope, cluster, vnet }: HostRulePlace,
  node: LiveNode | null,
  forward: boolean,
): HostRuleStatus {
  const switches: [boolean | null, HostRuleReason, HostRuleReason][] = [
    [cluster.firewall_enabled, 'cluster_firewall_off', 'unknown_cluster_firewall'],
  ];
  if (scope === 'vnet') {
    // The chain of a VNet is loaded whether or not traffic of the node itself is filtered.
    switches.push([hostSwitch('vnet', vnet?.options ?? null), 'vnet_firewall_off', 'unknown_vnet_options']);
  } else {
    switches.push([hostSwitch('node', node?.options ?? null), 'node_firewall_off', 'unknown_node_options']);
  }
  const implementations: readonly FilterImplementation[] = possibleImplementations(node);
  if (forward && !implementations.includes('nftables')) return off('iptables');
  const switched = evaluateSwitches(switches);
  if (switched?.status === 'not_enforced') return switched;
  if (forward && implementations.length > 1) return unknown('unknown_implementation');
  if (switched) return switched;
  const doubt = compileDoubt(node);
  return doubt ? unknown(doubt) : ENFORCED;
}

function mergeStatuses(statuses: readonly HostRuleStatus[]): HostRuleStatus {
  const [first] = statuses;
  if (!first) return unknown('unknown_node_options');
  const different = statuses.find(({ status, reason }) => status !== first.status || reason !== first.reason);
  if (!different) return first;
  const other = statuses.find(({ status }) => status !== 'enforced') ?? different;
  if (statuses.some(({ status }) => status === 'enforced')) return { status: 'partly_enforced', reason: other.reason };
  return statuses.find(({ status }) => status === 'unknown') ?? first;
}

/** Whether a rule that is stored for a data center, a node or a VNet filters anything now. */
export function hostRuleStatus(place: HostRulePlace, rule: LiveRule): HostRuleStatus {
  if (rule.errors) return { status: 'invalid', reason: null };
  if (!rule.enable) return { status: 'disabled', reason: null };
  const forward = place.scope === 'vnet' || rule.type === 'forward';
  if (place.scope === 'vnet' && (rule.type === 'in' || rule.type === 'out')) return off('direction');
  const status = mergeStatuses(place.nodes.map((node) => getNodeStatus(place, node, forward)));
  if (rule.type !== 'group' || status.status === 'not_enforced') return status;
  const { groups } = place.cluster;
  if (!groups) return unknown('unknown_group');
  return Object.hasOwn(groups, rule.action) ? status : off('group_missing');
}
