import { z } from 'zod';
import { FirewallRuleView } from './firewall/rule-view';
import { OwnConnection } from './own-connections/own-workloads';
import { ENFORCEMENT_MODES } from './policy/choices';
import { STALE_RULE_REASONS } from './policy/compare-rules';
import { DORMANT_EFFECTS, DORMANT_KINDS, DORMANT_SEVERITIES } from './policy/plan/dormant';
import { EDITS } from './policy/plan/restoration';
import { PolicyDefinition, PolicyRules } from './policy/policy';
import { UNRESOLVED_REASONS } from './policy/resolve';
import { TEMPORARY_LOG_LEVELS } from './policy/temporary-log';
import { POLICY_TIERS } from './policy/tier';
import { PolicyTest } from './policy-tests/definition';

export const UnreadableNote = z.object({
  part: z.string(),
  /** The node to which the part belongs, for parts of nodes. */
  node: z.string().optional(),
  /** The VNet to which the part belongs, for parts of VNets. */
  vnet: z.string().optional(),
  code: z.string(),
  message: z.string(),
  remedy: z.string().optional(),
});

/** A switch that applying would turn. */
export const OptionChange = z.object({
  kind: z.enum(['guest_option', 'nic_flag']),
  /** `enable`, `policy_in`, `policy_out`, or the interface. */
  name: z.string(),
  /** Null: nothing is stored, so the hypervisor's default holds. */
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type OptionChange = z.output<typeof OptionChange>;

/** What applying the policy would do to the rules of one guest. */
export const GuestChangesPreview = z.object({
  added: z.array(FirewallRuleView),
  removed: z.array(FirewallRuleView.extend({ reason: z.enum(STALE_RULE_REASONS) })),
  kept: z.array(FirewallRuleView),
  /** Right, but in the wrong place. */
  moved: z.array(FirewallRuleView),
});
export type GuestChangesPreview = z.output<typeof GuestChangesPreview>;

/**
 * Something stored at the guest that filters nothing today and takes effect because applying turns on the guest's firewall or
 * the flag of an interface.
 */
export const DormantView = z.object({
  kind: z.enum(DORMANT_KINDS),
  /** Name of the set or option; the fields of the rule as text. */
  name: z.string(),
  /** Position of the rule as it is stored now; null for sets and options. */
  position: z.int().nullable(),
  rule: FirewallRuleView.nullable(),
  /** Value of the option, entries of the set. */
  value: z.string().nullable(),
  /** False: nothing is stored, the hypervisor's default takes effect. */
  stored: z.boolean(),
  /** Interfaces at which it takes effect. */
  interfaces: z.array(z.string()),
  /** `cuts` blocks traffic that passes today, `allows` lets through what the policy alone would block. */
  effect: z.enum(DORMANT_EFFECTS),
  severity: z.enum(DORMANT_SEVERITIES),
  message: z.string(),
});
export type DormantView = z.output<typeof DormantView>;

/** A warning about one guest; the preview's own `warnings` sum them up for all guests. */
export const GuestWarning = z.object({ code: z.string(), severity: z.enum(DORMANT_SEVERITIES), message: z.string() });
export type GuestWarning = z.output<typeof GuestWarning>;

export const GuestPreview = z.object({
  workload_id: z.uuid(),
  vmid: z.int(),
  name: z.string(),
  external_id: z.string(),
  node_name: z.string().nullable(),
  /** The policy's rules as they shall stand here; none: those that are live go away. */
  rules: z.array(FirewallRuleView),
  /** Sets of addresses that the rules refer to. */
  sets: z.array(z.object({ name: z.string(), cidrs: z.array(z.string()) })),
  /** Null: what is live could not be read, so it is not known what would change. */
  changes: GuestChangesPreview.nullable(),
  option_changes: z.array(OptionChange),
  /** What else takes effect with the switches. Null: not known, because the guest could not be read. */
  dormant: z.array(DormantView).nullable(),
  warnings: z.array(GuestWarning),
  /**
   * Fingerprint of the live state that was evaluated and the writes that follow from it. An apply with this value
   * writes nothing else. Null: the guest could not be read, or the policy is not stored.
   */
  fingerprint: z.string().nullable(),
  /** Unmanaged rules at the guest; they stay as they are. */
  foreign_rules: z.int().nullable(),
  unreadable: z.array(UnreadableNote),
  read_at: z.string(),
});
export type GuestPreview = z.output<typeof GuestPreview>;

export const PREVIEW_WARNINGS = [
  'audit_mode',
  'policy_disabled',
  'no_rules',
  'cluster_firewall_off',
  'cluster_firewall_unknown',
  'default_policy_changes',
  'dormant_content',
  'firewall_switched_on',
  'mac_filter',
  'order_changes',
  'unmanaged_rules_first',
  'established_connections',
  'log_limits',
  'reject_becomes_drop',
  'node_cannot_compile',
  'node_would_not_compile',
  'interface_not_switchable',
  'guest_unreadable',
  'guest_missing',
  'guest_locked',
  'workload_without_address',
  'no_address_of_family',
  'icmp_type_unreadable',
] as const;
export type PreviewWarningCode = (typeof PREVIEW_WARNINGS)[number];

/** Something to know before applying, once for all guests that it concerns. */
export const PreviewWarning = z.object({
  code: z.enum(PREVIEW_WARNINGS),
  message: z.string(),
  cluster_id: z.uuid().nullable(),
  /** The guests concerned: how many, and the first of them. */
  guests_total: z.int(),
  guests: z.array(z.object({ workload_id: z.uuid(), name: z.string(), vmid: z.int() })),
});
export type PreviewWarning = z.output<typeof PreviewWarning>;

export const UnresolvedNote = z.object({
  side: z.enum(['source', 'target']),
  endpoint: z.string(),
  reason: z.enum(UNRESOLVED_REASONS),
});
export type UnresolvedNote = z.output<typeof UnresolvedNote>;

export const PolicyPreview = z.object({
  /** Null for a draft that was never stored. */
  policy_id: z.uuid().nullable(),
  policy_mode: z.enum(ENFORCEMENT_MODES),
  policy_version: z.int(),
  clusters: z.array(
    z.object({
      cluster_id: z.uuid(),
      cluster_name: z.string(),
      /** Null: not readable. */
      firewall_enabled: z.boolean().nullable(),
      /** What the token of the cluster lacks to apply this, as of the last sync; null: not known. */
      missing_write_privileges: z.array(z.string()).nullable(),
      guests: z.array(GuestPreview),
    }),
  ),
  /** Connections of Fabric itself that an apply would cut, or may cut. */
  own_connections: z.array(OwnConnection),
  /** Policy tests with a workload that would change, and that would fail after an apply; of others only how many. */
  failing_tests: z.array(PolicyTest),
  hidden_failing_tests: z.int(),
  unresolved: z.array(UnresolvedNote),
  warnings: z.array(PreviewWarning),
  totals: z.object({
    guests: z.int(),
    added: z.int(),
    removed: z.int(),
    kept: z.int(),
    moved: z.int(),
    option_changes: z.int(),
    /** Stored rules, sets and options that take effect. */
    dormant: z.int(),
    unreadable: z.int(),
  }),
});
export type PolicyPreview = z.output<typeof PolicyPreview>;

/** What an apply found instead of what its preview had shown. */
export const ChangedDifference = GuestPreview.pick({
  changes: true,
  option_changes: true,
  dormant: true,
  read_at: true,
}).extend({
  /** The fingerprint of this difference. */
  fingerprint: z.string(),
});
export type ChangedDifference = z.output<typeof ChangedDifference>;

/** What a policy would be: instead of the stored one, or of one that is not stored yet. */
const draft = {
  definition: PolicyDefinition,
  rules: PolicyRules,
  priority: z.int().min(0).max(10000),
  tier: z.enum(POLICY_TIERS),
};

/** For a stored policy: what is left out is as stored. */
export const PreviewInput = z
  .strictObject({
    ...draft,
    project_id: z.uuid().nullable(),
    /** Previews an apply that logs the rules that it adds until it is confirmed. */
    log_new_rules: z.enum(TEMPORARY_LOG_LEVELS).nullable(),
  })
  .partial();
export type PreviewInput = z.output<typeof PreviewInput>;

/** For a policy that is not stored yet; `tenant_id` and `project_id` as when creating one. */
export const DraftInput = z.strictObject({
  definition: draft.definition,
  rules: draft.rules.default([]),
  priority: draft.priority.default(1000),
  tier: draft.tier.optional(),
  tenant_id: z.uuid().nullable().optional(),
  project_id: z.uuid().nullable().optional(),
});
export type DraftInput = z.output<typeof DraftInput>;

/** What removing a policy would do to one guest. */
export const CleanupGuest = z.object({
  workload_id: z.uuid(),
  vmid: z.int(),
  name: z.string(),
  /** Rules of the policy that would be removed. Null: what is live could not be read. */
  removed: z.int().nullable(),
  option_changes: z.array(OptionChange),
  /** Why switches stay as they are. */
  notes: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      remedy: z.string(),
      edits: z.array(z.enum(EDITS)).optional(),
    }),
  ),
  read_at: z.string(),
});
export type CleanupGuest = z.output<typeof CleanupGuest>;

/** What disabling a policy, switching it to audit or deleting it would do. */
export const CleanupPreview = z.object({
  policy_id: z.uuid(),
  clusters: z.array(z.object({ cluster_id: z.uuid(), cluster_name: z.string(), guests: z.array(CleanupGuest) })),
});
export type CleanupPreview = z.output<typeof CleanupPreview>;
