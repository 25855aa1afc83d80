import type { Builtin, DecidedBy, DefiniteVerdict, RulePlace, UnknownReason } from './verdict';

export const NODE_BUILTINS = ['igmp', 'management', 'corosync', 'conntrack_helper', 'synflood'] as const;
/** Rules of the hypervisor's own for a node; guests have none of these. */
export type NodeBuiltin = Builtin | (typeof NODE_BUILTINS)[number];

export const NODE_UNKNOWN_REASONS = [
  'unknown_node_rules',
  'unknown_cluster_options',
  'unknown_management_network',
  'unknown_corosync_links',
] as const;
export type NodeUnknownReason = UnknownReason | (typeof NODE_UNKNOWN_REASONS)[number];

export const NODE_NOT_ENFORCED_REASONS = [
  'cluster_firewall_off',
  'node_firewall_off',
  'vnet_firewall_off',
  /** With iptables, rules for forwarded traffic are stored and not enforced. */
  'iptables_node',
] as const;
export type NodeNotEnforcedReason = (typeof NODE_NOT_ENFORCED_REASONS)[number];

/** Where a rule is that filters a node or forwarded traffic: always with its scope, for a VNet with its name. */
export type NodeRulePlace = RulePlace & { readonly scope: 'datacenter' | 'node' | 'vnet' };

/** What certainly decides. A default without a scope is that of the data center. */
export type NodeDecider =
  | ({ readonly kind: 'rule' } & NodeRulePlace)
  | Extract<DecidedBy, { kind: 'default' }>
  | { readonly kind: 'builtin'; readonly name: NodeBuiltin }
  | { readonly kind: 'not_enforced'; readonly reason: NodeNotEnforcedReason };

/** What happens to a packet of a node itself, or to one that it forwards. `unknown` as for guests. */
export type NodeVerdict =
  | { readonly verdict: DefiniteVerdict; readonly decided_by: NodeDecider }
  | {
      readonly verdict: 'unknown';
      readonly decided_by: {
        readonly kind: 'unknown';
        readonly reason: NodeUnknownReason;
        readonly places: readonly NodeRulePlace[];
      };
    };
