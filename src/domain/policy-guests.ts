import { z } from 'zod';
import { PROTECTIONS } from './firewall/protection';
import { FirewallRuleView } from './firewall/rule-view';
import { NOT_ENFORCED_REASONS, UNKNOWN_REASONS } from './firewall/verdict';
import { createPageSchema, listInput } from './list';
import { STALE_RULE_REASONS } from './policy/compare-rules';
import { DEPLOYMENT_REASONS, DEPLOYMENT_STATUSES } from './policy/status';
import { UnreadableNote } from './policy-preview';

/** One guest of a policy: how far the policy is enforced there. */
export const PolicyGuest = z.object({
  workload_id: z.uuid(),
  name: z.string(),
  vmid: z.int(),
  external_id: z.string(),
  cluster_id: z.uuid(),
  cluster_name: z.string(),
  node_name: z.string().nullable(),
  status: z.enum(DEPLOYMENT_STATUSES).nullable(),
  reasons: z.array(z.enum(DEPLOYMENT_REASONS)),
  expected: z.int(),
  live: z.int(),
  missing: z.int(),
  outdated: z.int(),
  leftover: z.int(),
  /** Null: never read. */
  read_at: z.string().nullable(),
});
export type PolicyGuest = z.output<typeof PolicyGuest>;

export const PolicyGuestListInput = listInput(['vmid'], {
  status: z.enum([...DEPLOYMENT_STATUSES, 'none']).optional(),
  cluster_id: z.uuid().optional(),
});
export type PolicyGuestListInput = z.output<typeof PolicyGuestListInput>;
export const PolicyGuestPage = createPageSchema(PolicyGuest);

/** Whether the firewall is on at an interface, and what becomes of inbound packets that no rule is about. */
export const InterfaceEnforcement = z.object({
  name: z.string(),
  status: z.enum(['on', 'off', 'unknown']),
  reasons: z.array(z.enum([...NOT_ENFORCED_REASONS, ...UNKNOWN_REASONS])),
  protection: z.enum(PROTECTIONS),
});

/** One guest of a policy: what is intended, what was last applied, and what is live now. */
export const PolicyGuestComparison = PolicyGuest.extend({
  policy_id: z.uuid(),
  policy_version: z.int(),
  intended: z.array(FirewallRuleView),
  /** Null: nothing was applied here. */
  last_applied: z
    .object({
      policy_version: z.int(),
      /** Null: an apply began and is not known to have ended. */
      applied_at: z.string().nullable(),
      rules: z.array(FirewallRuleView),
      drop_in: z.boolean(),
      drop_out: z.boolean(),
    })
    .nullable(),
  /** Live rules of the policy. Null: not readable. */
  live_rules: z.array(FirewallRuleView).nullable(),
  /** Null: not known, because what is live could not be read. */
  difference: z
    .object({
      missing: z.array(FirewallRuleView),
      surplus: z.array(FirewallRuleView.extend({ reason: z.enum(STALE_RULE_REASONS) })),
      misplaced: z.array(FirewallRuleView.extend({ reason: z.enum(['order', 'foreign_rule']) })),
    })
    .nullable(),
  interfaces: z.array(InterfaceEnforcement).nullable(),
  unreadable: z.array(UnreadableNote),
});
export type PolicyGuestComparison = z.output<typeof PolicyGuestComparison>;
