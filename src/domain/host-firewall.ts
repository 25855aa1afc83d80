import { z } from 'zod';
import { HOST_SCOPES } from './firewall/host-options';
import { HOST_RULE_REASONS, HOST_RULE_STATUSES } from './firewall/host-rule-status';
import { FirewallRuleView } from './firewall/rule-view';
import { isOneFamily, ONE_FAMILY, PACKET_FIELDS } from './packet-fields';
import { UnreadableNote } from './policy-preview';

/** A set of addresses. */
export const SetView = z.object({
  name: z.string(),
  entries: z.array(z.object({ cidr: z.string(), nomatch: z.boolean() })),
});

/** An option with what holds now. */
export const HostFirewallOption = z.object({
  name: z.string(),
  /** Null: could not be read. */
  value: z.union([z.boolean(), z.number(), z.string()]).nullable(),
  origin: z.enum(['stored', 'default', 'unknown']),
});
export type HostFirewallOption = z.output<typeof HostFirewallOption>;

/** A rule of a data center, node or VNet, and whether it filters anything. */
export const HostFirewallRule = FirewallRuleView.extend({
  status: z.enum(HOST_RULE_STATUSES),
  /** Why the rule is not enforced everywhere, or why that is unknown. */
  status_reason: z.enum(HOST_RULE_REASONS).nullable(),
});
export type HostFirewallRule = z.output<typeof HostFirewallRule>;

const IMPLEMENTATION = z.enum(['iptables', 'nftables']);

const shared = {
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  /** When the oldest snapshot used here was read. */
  read_at: z.string(),
  /** Null: could not be read. */
  cluster_firewall_enabled: z.boolean().nullable(),
  /** All of them, defaults included. */
  options: z.array(HostFirewallOption),
  /** In the order in which they are evaluated. Null: could not be read. */
  rules: z.array(HostFirewallRule).nullable(),
  /** Security groups that the rules refer to. Null: could not be read. */
  groups: z.array(z.object({ name: z.string(), rules: z.array(HostFirewallRule) })).nullable(),
  /** What could not be read. */
  unreadable: z.array(UnreadableNote),
};

const NodeSummary = z.object({
  node_id: z.uuid(),
  name: z.string(),
  /** Null: not known. */
  implementation: IMPLEMENTATION.nullable(),
  /** The switch of the node. Null: could not be read. */
  firewall_enabled: z.boolean().nullable(),
  /** Null: could not be read. */
  rules_total: z.int().nullable(),
});

/** Options and rules of a data center, which filter its nodes, and what its nodes and VNets add. */
export const ClusterFirewall = z.object({
  ...shared,
  /** Null: could not be read. */
  aliases: z.array(z.object({ name: z.string(), cidr: z.string() })).nullable(),
  /** Null: could not be read. */
  sets: z.array(SetView).nullable(),
  nodes: z.array(NodeSummary),
  vnets: z.array(
    z.object({
      network_id: z.uuid(),
      name: z.string(),
      /** False: created, but not applied. Null: could not be read. */
      running: z.boolean().nullable(),
      firewall_enabled: z.boolean().nullable(),
      rules_total: z.int().nullable(),
    }),
  ),
});
export type ClusterFirewall = z.output<typeof ClusterFirewall>;

/** Options and rules of one node. They filter traffic of the node itself; some options hold for its workloads, too. */
export const NodeFirewall = z.object({
  ...shared,
  node_id: z.uuid(),
  node_name: z.string(),
  /** Null: not known. */
  implementation: IMPLEMENTATION.nullable(),
  /** Rules of the data center, evaluated after those of the node. Null: could not be read. */
  data_center_rules: z.array(HostFirewallRule).nullable(),
});
export type NodeFirewall = z.output<typeof NodeFirewall>;

/** Options and rules of a VNet. They filter forwarded traffic on nodes with nftables. */
export const NetworkFirewall = z.object({
  ...shared,
  network_id: z.uuid(),
  network_name: z.string(),
  /** False: created, but not applied. Null: could not be read. */
  running: z.boolean().nullable(),
  nodes: z.array(NodeSummary.pick({ node_id: true, name: true, implementation: true })),
});
export type NetworkFirewall = z.output<typeof NetworkFirewall>;

/** A packet to the node (`in`), from it (`out`), or routed by it (`forward`). */
export const NodePacketTest = z
  .strictObject({
    direction: z.enum(['in', 'out', 'forward'], { error: 'One of in, out, forward.' }),
    ...PACKET_FIELDS,
  })
  .refine(isOneFamily, ONE_FAMILY);
export type NodePacketTest = z.output<typeof NodePacketTest>;

/** A packet that is bridged within a VNet. */
export const NetworkPacketTest = z.strictObject(PACKET_FIELDS).refine(isOneFamily, ONE_FAMILY);
export type NetworkPacketTest = z.output<typeof NetworkPacketTest>;

const PlacedRule = FirewallRuleView.extend({ scope: z.enum(HOST_SCOPES) });

/** What becomes of a packet at one node, and who decides. */
export const HostPacketVerdict = z.object({
  node_id: z.uuid(),
  node_name: z.string(),
  verdict: z.enum(['accept', 'drop', 'reject', 'unknown']),
  decided_by: z.object({
    kind: z.enum(['rule', 'default', 'builtin', 'not_enforced', 'unknown']),
    /** Action of the rule, default policy, name of the built-in rule, or the reason. */
    detail: z.string().nullable(),
    /** As text. */
    explanation: z.string(),
    /** The rule that decides, with where it is stored; of a group when `group` is set. */
    rule: PlacedRule.nullable(),
    group: z.string().nullable(),
    /** Rules that may decide and cannot be evaluated. */
    undecided_rules: z.array(PlacedRule),
  }),
});
export type HostPacketVerdict = z.output<typeof HostPacketVerdict>;

/** The verdict of one node, or of each node that a VNet reaches. */
export const HostPacketVerdicts = z.object({
  /** When the oldest snapshot used here was read. */
  read_at: z.string(),
  nodes: z.array(HostPacketVerdict),
});
export type HostPacketVerdicts = z.output<typeof HostPacketVerdicts>;
