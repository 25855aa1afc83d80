import { type HostScope, hostOptions, hostSwitch } from '@/domain/firewall/host-options';
import { type HostRulePlace, hostRuleStatus } from '@/domain/firewall/host-rule-status';
import type { LiveRule } from '@/domain/firewall/live-state';
import type { NodeRulePlace, NodeUnknownReason, NodeVerdict } from '@/domain/firewall/node-verdict';
import { toLiveRuleView } from '@/domain/firewall/rule-view';
import type { UnreadableNote } from '@/domain/firewall/snapshot';
import type { Builtin, ListScope, UnknownReason } from '@/domain/firewall/verdict';
import type { ClusterFirewall, HostFirewallRule, HostPacketVerdict } from '@/domain/host-firewall';
import { explainDecider } from '../guest-firewall/test-packet';
import { getNodeImplementation, type HostLive, type HostNode } from './read-host-live';

/** Where rules are stored, without what all places of a cluster share. */
type Place = { scope: HostScope; nodes: readonly HostNode[]; vnet?: HostRulePlace['vnet'] };

/** Rules with whether they filter anything. */
export function hostRules(live: HostLive, place: Place, rules: readonly LiveRule[] | null): HostFirewallRule[] | null {
  const where = { ...place, cluster: live.state, nodes: place.nodes.map((node) => node.live) };
  return (
    rules?.map((rule) => {
      const { status, reason } = hostRuleStatus(where, rule);
      return { ...toLiveRuleView(rule, live.instance, null), status, status_reason: reason };
    }) ?? null
  );
}

/** The security groups that the rules refer to, in the order of their names. */
function hostGroups(live: HostLive, place: Place, rules: readonly (readonly LiveRule[] | null)[]) {
  const { groups } = live.state;
  if (!groups || rules.includes(null)) return null;
  const referred = rules.flatMap((list) => list ?? []).filter(({ type }) => type === 'group');
  return [...new Set(referred.map(({ action }) => action))]
    .filter((name) => Object.hasOwn(groups, name))
    .sort()
    .map((name) => ({ name, rules: hostRules(live, place, groups[name] ?? []) ?? [] }));
}

type Stored = { options: Readonly<Record<string, unknown>> | null; rules: readonly LiveRule[] | null };

/** What all three pages show: options, rules and groups of one place, and what could not be read. */
export function hostFirewall(
  live: HostLive,
  place: Place,
  stored: Stored,
  notes: (note: UnreadableNote) => boolean,
  further: readonly (readonly LiveRule[] | null)[] = [],
) {
  const { cluster, state } = live;
  return {
    cluster_id: cluster.id,
    cluster_name: cluster.name,
    read_at: live.readAt(place.nodes),
    cluster_firewall_enabled: state.firewall_enabled,
    options: hostOptions(place.scope, stored.options),
    rules: hostRules(live, place, stored.rules),
    groups: hostGroups(live, place, [stored.rules, ...further]),
    unreadable: state.unreadable.filter(notes),
  };
}

/** A node in the lists of others. */
export function nodeSummary(node: HostNode): ClusterFirewall['nodes'][number] {
  return {
    node_id: node.id,
    name: node.name,
    implementation: getNodeImplementation(node),
    firewall_enabled: hostSwitch('node', node.live?.options ?? null),
    rules_total: node.live?.rules?.length ?? null,
  };
}

/** Whether a VNet is running; null: could not be read. */
export const isRunning = ({ state: { vnets } }: HostLive, name: string): boolean | null =>
  vnets ? Object.hasOwn(vnets, name) : null;

/** The live VNet of this name; null: not running, or not read. */
export const vnetAt = ({ state: { vnets } }: HostLive, name: string) =>
  vnets && Object.hasOwn(vnets, name) ? (vnets[name] ?? null) : null;

type Decider = NodeVerdict['decided_by'];
type HostBuiltin = Extract<Decider, { kind: 'builtin' }>['name'];
type HostOff = Extract<Decider, { kind: 'not_enforced' }>['reason'];

/** Built-in rules of guests that are about something else at a node. */
type HostOwn = 'ndp' | 'ndp_blocked' | 'smurf' | 'windows_noise' | 'upnp' | 'dns_reply';

/** Built-in rules that guests do not have, or that another option of the node controls. */
const BUILTIN_TEXTS: Readonly<Record<Exclude<HostBuiltin, Builtin> | HostOwn, string>> = {
  igmp: 'The node accepts IGMP before any rule.',
  management: 'The node accepts cluster services (web interface, consoles, SSH) from the management network.',
  corosync: 'The node accepts cluster communication (corosync) from any address.',
  conntrack_helper: 'A connection tracking helper of the node opens this port.',
  synflood: 'The node option protection_synflood drops TCP connections that no earlier rule accepts.',
  windows_noise: 'The node drops or rejects traffic of Windows services.',
  upnp: 'The node drops UPnP.',
  dns_reply: 'The node drops late DNS replies.',
  smurf: 'The node option nosmurfs drops the packet because of a multicast or broadcast address.',
  ndp: 'The node option ndp accepts neighbor discovery.',
  ndp_blocked: 'The node option ndp is off: the node drops neighbor discovery.',
};

const OFF_TEXTS: Readonly<Record<HostOff, string>> = {
  cluster_firewall_off: 'The cluster firewall is off: nothing is filtered.',
  node_firewall_off: 'The firewall of the node is off: only workloads and VNets are filtered there.',
  vnet_firewall_off: 'The firewall of the VNet is off.',
  iptables_node: 'The node filters with iptables, which does not enforce rules for forwarded traffic.',
};

const UNKNOWN_TEXTS: Readonly<Record<Exclude<NodeUnknownReason, UnknownReason>, string>> = {
  unknown_node_rules: 'Could not read the node or data center rules.',
  unknown_cluster_options: 'Could not read the data center options.',
  unknown_management_network: 'It is not known whether the address is in the management network.',
  unknown_corosync_links: 'It is not known whether the address is a link of the cluster communication (corosync).',
};

function listName({ scope, name }: ListScope): string {
  if (scope === 'vnet') return `VNet ${name}`;
  return scope === 'node' ? 'the node' : 'the data center';
}

const has = <T extends object>(texts: T, key: PropertyKey): key is keyof T => Object.hasOwn(texts, key);

/** Reason for the verdict on a node's traffic, as text. */
export function explainHostDecider(by: Decider): string {
  switch (by.kind) {
    case 'rule':
      return by.group === undefined
        ? `The rule at position ${by.position} of ${listName(by)} matches.`
        : `The rule at position ${by.position} of ${listName(by)} refers to PVE security group ${by.group}, whose rule at position ${by.group_position} matches.`;
    case 'default':
      return `No rule matches: the default policy ${by.policy} of ${listName(by)} applies.`;
    case 'builtin':
      return has(BUILTIN_TEXTS, by.name)
        ? BUILTIN_TEXTS[by.name]
        : explainDecider({ kind: 'builtin', name: by.name }, null);
    case 'not_enforced':
      return OFF_TEXTS[by.reason];
    case 'unknown':
      return has(UNKNOWN_TEXTS, by.reason)
        ? UNKNOWN_TEXTS[by.reason]
        : explainDecider({ kind: 'unknown', reason: by.reason, places: [] }, null);
  }
}

type Decision = HostPacketVerdict['decided_by'];

function getPlaceRules({ state }: HostLive, node: HostNode, { scope, name = '' }: NodeRulePlace) {
  if (scope === 'node') return node.live?.rules;
  if (scope === 'datacenter') return state.rules;
  return state.vnets && Object.hasOwn(state.vnets, name) ? state.vnets[name]?.rules : null;
}

/** The rule at a place that a verdict names; null when it is not there any more. */
function ruleAt(live: HostLive, node: HostNode, place: NodeRulePlace): Decision['rule'] {
  const { scope, position, group, group_position } = place;
  const { state, instance } = live;
  const groups = state.groups ?? {};
  const members = group !== undefined && Object.hasOwn(groups, group) ? groups[group] : undefined;
  const stored: readonly LiveRule[] | null | undefined = getPlaceRules(live, node, place);
  const found =
    group === undefined
      ? stored?.find(({ pos }) => pos === position)
      : members?.find(({ pos }) => pos === group_position);
  return found
    ? { ...toLiveRuleView(found, instance, null), scope: scope === 'datacenter' ? 'data_center' : scope }
    : null;
}

/** A verdict about a packet at a node, with the rules it names and an explanation. */
export function hostVerdictView(
  live: HostLive,
  node: HostNode,
  { verdict, decided_by: by }: NodeVerdict,
): HostPacketVerdict {
  const none = { rule: null, group: null, undecided_rules: [] };
  const shared = { ...none, kind: by.kind, explanation: explainHostDecider(by) };
  const decided = (): Decision => {
    switch (by.kind) {
      case 'rule': {
        const rule = ruleAt(live, node, by);
        return { ...shared, detail: rule?.action ?? null, rule, group: by.group ?? null };
      }
      case 'default':
        return { ...shared, detail: by.policy };
      case 'builtin':
        return { ...shared, detail: by.name };
      case 'not_enforced':
        return { ...shared, detail: by.reason };
      case 'unknown':
        return {
          ...shared,
          detail: by.reason,
          undecided_rules: by.places.flatMap((place) => ruleAt(live, node, place) ?? []),
        };
    }
  };
  return { node_id: node.id, node_name: node.name, verdict, decided_by: decided() };
}
