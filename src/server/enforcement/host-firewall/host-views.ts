import { type HostScope, hostOptions, hostSwitch } from '@/domain/firewall/host-options';
import { type HostRulePlace, hostRuleStatus } from '@/domain/firewall/host-rule-status';
import type { LiveRule } from '@/domain/firewall/live-state';
import { viewOfLiveRule } from '@/domain/firewall/rule-view';
import type { UnreadableNote } from '@/domain/firewall/snapshot';
import type { ClusterFirewall, HostFirewallRule } from '@/domain/host-firewall';
import { type HostLive, type HostNode, implementationOf } from './read-host-live';

/** Where rules are stored, without what all places of a cluster share. */
type Place = { scope: HostScope; nodes: readonly HostNode[]; vnet?: HostRulePlace['vnet'] };

/** Rules with whether they filter anything. */
export function hostRules(live: HostLive, place: Place, rules: readonly LiveRule[] | null): HostFirewallRule[] | null {
  const where = { ...place, cluster: live.state, nodes: place.nodes.map((node) => node.live) };
  return (
    rules?.map((rule) => {
      const { status, reason } = hostRuleStatus(where, rule);
      return { ...viewOfLiveRule(rule, live.instance, null), status, status_reason: reason };
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
    implementation: implementationOf(node),
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
