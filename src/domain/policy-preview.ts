import { z } from 'zod';
import { FirewallRuleView } from './firewall/rule-view';
import { STALE_RULE_REASONS } from './policy/diff';
import { ENFORCEMENT_MODES, PolicyDefinition, SecurityRuleInput } from './policy/policy';
import { UNRESOLVED_REASONS } from './policy/resolve';

export const UnreadableNote = z.object({
  part: z.string(),
  /** The node to which the part belongs, for parts of nodes. */
  node: z.string().optional(),
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
  after: z.string(),
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
  /** Foreign rules at the guest; they stay as they are. */
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
  'firewall_switched_on',
  'mac_filter',
  'established_connections',
  'log_limits',
  'reject_becomes_drop',
  'interface_not_switchable',
  'guest_unreadable',
  'guest_missing',
  'guest_locked',
  'workload_without_address',
  'no_address_of_family',
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
      guests: z.array(GuestPreview),
    }),
  ),
  unresolved: z.array(UnresolvedNote),
  warnings: z.array(PreviewWarning),
  totals: z.object({
    guests: z.int(),
    added: z.int(),
    removed: z.int(),
    kept: z.int(),
    moved: z.int(),
    option_changes: z.int(),
    unreadable: z.int(),
  }),
});
export type PolicyPreview = z.output<typeof PolicyPreview>;

/** What a policy would be: instead of the stored one, or of one that is not stored yet. */
const draft = {
  definition: PolicyDefinition,
  rules: z.array(SecurityRuleInput).max(200, 'at most 200 rules'),
  priority: z.int().min(0).max(10000),
};

/** For a stored policy: what is left out is as stored. */
export const PreviewInput = z.strictObject(draft).partial();
export type PreviewInput = z.output<typeof PreviewInput>;

/** For a policy that is not stored yet; `tenant_id` as when creating one. */
export const DraftInput = z.strictObject({
  definition: draft.definition,
  rules: draft.rules.default([]),
  priority: draft.priority.default(1000),
  tenant_id: z.uuid().nullable().optional(),
});
export type DraftInput = z.output<typeof DraftInput>;
