import { z } from 'zod';
import { POLICY_EXPIRIES, POLICY_SORTS } from './choices';
import { createPageSchema, listInput } from './list';
import { ManagedBy } from './managed-source';
import {
  DEFAULT_ACTIONS,
  ENFORCEMENT_MODES,
  POLICY_DIRECTIONS,
  RULE_ACTIONS,
  RULE_LOG_LEVELS,
  RULE_PROTOCOLS,
} from './policy/choices';
import { PolicyInput, PolicyUpdate, SecurityRuleInput } from './policy/policy';
import { responsibility } from './policy/responsibility-fields';
import { DEPLOYMENT_STATUSES, SHOWN_STATUSES } from './policy/status';
import { POLICY_TIERS, TENANT_VISIBILITIES } from './policy/tier';
import { CleanupRequest, ClusterDeployment, LastDeployment } from './policy-deployment';

const Reason = z
  .string({ error: 'A text.' })
  .trim()
  .max(500, 'At most 500 characters.')
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'No line breaks or other control characters.');

/** What is needed to create a policy; `tenant_id` and `project_id` as for security groups, `reason` goes into the history. */
export const PolicyCreate = PolicyInput.extend({
  tenant_id: z.uuid().nullable().optional(),
  project_id: z.uuid().nullable().optional(),
  reason: Reason.default(''),
});
export type PolicyCreate = z.output<typeof PolicyCreate>;

/** Rules that are given replace all of them. `project_id`: it belongs to this project of its tenant from now on; null: to the tenant. */
export const PolicyChange = PolicyUpdate.extend({
  reason: Reason.optional(),
  project_id: z.uuid().nullable().optional(),
});
export type PolicyChange = z.output<typeof PolicyChange>;

const guard = { version: z.int().min(1).optional(), reason: Reason.optional() };

/** Where a rule comes to stand among the others; left out, it goes to the end or stays. */
const position = z.int({ error: 'A whole number.' }).min(0).max(199).optional();

/** One more rule. */
export const RuleCreate = z.strictObject({ rule: SecurityRuleInput, position, ...guard });
export type RuleCreate = z.output<typeof RuleCreate>;

/** Another content or place for one rule. */
export const RuleChange = z.strictObject({ rule: SecurityRuleInput.optional(), position, ...guard });
export type RuleChange = z.output<typeof RuleChange>;

/** Guards a change without content. */
export const ChangeGuard = z.strictObject(guard);
export type ChangeGuard = z.output<typeof ChangeGuard>;

export const SecurityRule = z.object({
  id: z.uuid(),
  position: z.int(),
  action: z.enum(RULE_ACTIONS),
  protocol: z.enum(RULE_PROTOCOLS),
  destination_ports: z.array(z.string()),
  source_ports: z.array(z.string()),
  icmp_type: z.string().nullable(),
  log: z.enum(RULE_LOG_LEVELS),
  enabled: z.boolean(),
  comment: z.string(),
  ...responsibility,
});
export type SecurityRule = z.output<typeof SecurityRule>;

/** A definition as it is stored: normalized when it was accepted. */
const StoredDefinition = z.object({
  enforcement_mode: z.enum(ENFORCEMENT_MODES),
  direction: z.enum(POLICY_DIRECTIONS),
  sources: z.array(z.string()),
  targets: z.array(z.string()),
  default_action: z.enum(DEFAULT_ACTIONS),
});

const tiered = {
  /** Evaluated before every tenant's policies, as one of them, or after all of them. */
  tier: z.enum(POLICY_TIERS),
  /** What tenants see of a platform policy on their workloads. */
  tenant_visibility: z.enum(TENANT_VISIBILITIES),
};

export const PolicySummary = z.object({
  id: z.uuid(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  /** Set: it belongs to this project of the tenant, and acts on nothing else. */
  project_id: z.uuid().nullable(),
  project_name: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  ...tiered,
  priority: z.int(),
  ...responsibility,
  definition: StoredDefinition,
  /** Set: it is managed as code, and only what is applied from this source edits it. */
  managed_by: ManagedBy.nullable(),
  version: z.int(),
  rules_total: z.int(),
  /** When it or one of its rules expires first, also in the past; null: never. */
  next_expiry_at: z.string().nullable(),
  /** Why what expired could not be removed; null: nothing is in the way. */
  expiry_problem: z.string().nullable(),
  last_deployment: LastDeployment.nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type PolicySummary = z.output<typeof PolicySummary>;

const deployment = {
  /** The worst status of the clusters; null when nothing is to be deployed and no rule of the policy is known to be live. */
  deployment_status: z.enum(DEPLOYMENT_STATUSES).nullable(),
  deployments: z.array(ClusterDeployment),
};

export const PolicyListItem = PolicySummary.extend(deployment);
export type PolicyListItem = z.output<typeof PolicyListItem>;

export const Policy = PolicyListItem.extend({ rules: z.array(SecurityRule) });
export type Policy = z.output<typeof Policy>;

/** A policy after a change, with the removal of live rules that the change asked for. */
export const ChangedPolicy = Policy.extend({ cleanup: z.array(CleanupRequest) });
export type ChangedPolicy = z.output<typeof ChangedPolicy>;

export const DeletedPolicy = z.object({ id: z.uuid(), cleanup: z.array(CleanupRequest) });
export type DeletedPolicy = z.output<typeof DeletedPolicy>;

const booleanFilter = z
  .union([
    z.boolean(),
    z.enum(['true', 'false'], { error: 'One of true, false.' }).transform((text) => text === 'true'),
  ])
  .optional();
export const PolicyListInput = listInput(POLICY_SORTS, {
  enforcement_mode: z.enum(ENFORCEMENT_MODES).optional(),
  enabled: booleanFilter,
  tier: z.enum(POLICY_TIERS).optional(),
  tenant_id: z.union([z.uuid(), z.literal('none')]).optional(),
  /** Policies that belong to this project; `none`: those of whole tenants and of the installation. */
  project_id: z.union([z.uuid(), z.literal('none')]).optional(),
  /** Email address of the owner; `none`: without an owner. */
  owner: z.string().trim().toLowerCase().max(254).optional(),
  /** By when it or one of its rules expires first. */
  expiry: z.enum(POLICY_EXPIRIES, { error: `One of ${POLICY_EXPIRIES.join(', ')}.` }).optional(),
  /** `none`: nothing is to be deployed and nothing is live. */
  deployment_status: z.enum([...DEPLOYMENT_STATUSES, 'none']).optional(),
  /** As the console shows it: `pending` was never applied, and is not among `stale`. */
  shown_status: z.enum(SHOWN_STATUSES).optional(),
  /** Policies that have or want rules on this cluster. */
  cluster_id: z.uuid().optional(),
  /** Policies that have or want rules at this workload. */
  workload_id: z.uuid().optional(),
});
export type PolicyListInput = z.output<typeof PolicyListInput>;
export const PolicyPage = createPageSchema(PolicyListItem);

/** Everything that a version keeps: enough to bring the policy back. */
export const PolicySnapshot = z.object({
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  ...tiered,
  priority: z.int(),
  ...responsibility,
  definition: StoredDefinition,
  rules: z.array(SecurityRule),
});
export type PolicySnapshot = z.output<typeof PolicySnapshot>;
/** As it is stored: versions from before tiers, and from before owners and expiry, have none. */
export type StoredSnapshot = Omit<z.input<typeof PolicySnapshot>, keyof typeof tiered> &
  Partial<Pick<PolicySnapshot, keyof typeof tiered>>;

export const PolicyVersion = z.object({
  id: z.uuid(),
  policy_id: z.uuid(),
  version: z.int(),
  reason: z.string(),
  author_id: z.uuid().nullable(),
  /** Null when the author's account is gone or it was the service itself. */
  author_name: z.string().nullable(),
  created_at: z.string(),
});
export type PolicyVersion = z.output<typeof PolicyVersion>;
export const PolicyVersionDetail = PolicyVersion.extend({ snapshot: PolicySnapshot });
export type PolicyVersionDetail = z.output<typeof PolicyVersionDetail>;
export const PolicyVersionListInput = listInput(['version'], {});
export type PolicyVersionListInput = z.output<typeof PolicyVersionListInput>;
export const PolicyVersionPage = createPageSchema(PolicyVersion);

/** What differs between two versions: fields with both values, and rules by id. */
export const VersionComparison = z.object({
  from: PolicyVersion,
  to: PolicyVersion,
  fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
  rules: z.array(
    z.object({
      id: z.uuid(),
      change: z.enum(['added', 'removed', 'changed', 'moved']),
      before: SecurityRule.nullable(),
      after: SecurityRule.nullable(),
      /** Names of the fields that differ. */
      fields: z.array(z.string()),
    }),
  ),
});
export type VersionComparison = z.output<typeof VersionComparison>;
