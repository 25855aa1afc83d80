import { z } from 'zod';
import { CHANGE_SORTS, DEFAULT_CONFIRM_SECONDS, MAX_CHANGE_ITEMS } from '../choices';
import { ApplyInput } from '../deployments';
import { createPageSchema, listInput } from '../list';
import { ManagedBy } from '../managed-source';
import { isWithinReach, type Owned } from '../permissions';
import { ApprovedExpiry } from '../policy/expiry';
import { TEMPORARY_LOG_LEVELS } from '../policy/temporary-log';
import { Time } from '../time';
import { ApprovalRule } from './approval';
import { ChangeItem, ChangeItemInput } from './items';
import { REVIEW_CHANGES } from './review';
import { CHANGE_STATES } from './states';
import { MAX_CONFIRM_SECONDS, ON_FAILURE, WAVE_KINDS, Waves } from './waves';

/** What a change of several owners is called for those who do not see all of them: its title may name the others. */
export const SHARED_TITLE = 'Change of several owners';

/** The title in what everyone reads who sees this one of the owners: it may name owners that they do not see. */
export function getTitleFor({ tenant_id, project_id }: Owned, title: string, owners: readonly Owned[]): string {
  if (tenant_id === null) return title;
  const reach = project_id === null ? [tenant_id] : { tenants: [], projects: [project_id] };
  return owners.every((owner) => isWithinReach(owner, reach)) ? title : SHARED_TITLE;
}

const Title = z
  .string({ error: 'A title.' })
  .trim()
  .min(1, 'A title of 1 to 120 characters.')
  .max(120, 'A title of 1 to 120 characters.')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'Printable characters only.');
const Text = z.string({ error: 'A text.' }).trim().max(2000, 'At most 2000 characters.');
const Comment = Text.default('');

const settings = {
  /** How long after the last write it is rolled back unless confirmed; 0: never. */
  confirm_within_seconds: z.int().min(0).max(MAX_CONFIRM_SECONDS),
  waves: Waves,
  on_failure: z.enum(ON_FAILURE),
  /** Rolls back immediately when a policy test or protected connection fails, or an agent becomes stale. */
  rollback_on_failed_check: z.boolean(),
  /** Level at which the rules that it adds are logged until it is confirmed or rolled back; null: their own. Needs a timer. */
  log_new_rules: z
    .enum(TEMPORARY_LOG_LEVELS, { error: `One of ${TEMPORARY_LOG_LEVELS.join(', ')}, or null.` })
    .nullable(),
  /** Not applied before this time; null: when someone applies it. */
  scheduled_at: Time.nullable(),
  /** Only applied within the maintenance windows of its tenants. */
  within_maintenance: z.boolean(),
};

export const ChangeCreate = z.strictObject({
  title: Title,
  description: Comment,
  items: z
    .array(ChangeItemInput, { error: 'A list of edits.' })
    .min(1, 'At least one edit.')
    .max(MAX_CHANGE_ITEMS, `At most ${MAX_CHANGE_ITEMS} edits.`),
  confirm_within_seconds: settings.confirm_within_seconds.default(DEFAULT_CONFIRM_SECONDS),
  waves: settings.waves.default({ canaries: null, pause_seconds: null }),
  on_failure: settings.on_failure.default('stop'),
  rollback_on_failed_check: settings.rollback_on_failed_check.default(false),
  log_new_rules: settings.log_new_rules.default(null),
  scheduled_at: settings.scheduled_at.default(null),
  within_maintenance: settings.within_maintenance.default(false),
});
export type ChangeCreate = z.output<typeof ChangeCreate>;

/** What is left out stays; items that are given replace all of them. `version` is the one that was read. */
export const ChangeUpdate = z
  .strictObject({
    title: Title,
    description: Text,
    items: ChangeCreate.shape.items,
    ...settings,
    version: z.int().min(1),
  })
  .partial();
export type ChangeUpdate = z.output<typeof ChangeUpdate>;

/** Guards a step of a review, with a comment for the record. */
export const ChangeStep = z.strictObject({ version: z.int().min(1).optional(), comment: Comment });
export type ChangeStep = z.output<typeof ChangeStep>;

export const ChangeApply = z.strictObject({
  version: z.int().min(1).optional(),
  /** Of the difference that was shown: nothing else is written. */
  fingerprint: z.string().max(200).optional(),
  /** An impact of this change; what it newly blocks must then be acknowledged. */
  impact_id: z.uuid().optional(),
  acknowledge_newly_blocked: z.int().min(0).optional(),
  override_tests: z.strictObject({ reason: z.string().trim().min(1).max(500) }).optional(),
  /** Applies it without the approvals that it lacks. Requires `change:break_glass`, and notifies. */
  break_glass: z.strictObject({ reason: z.string().trim().min(1).max(500) }).optional(),
});
export type ChangeApply = z.output<typeof ChangeApply>;

/**
 * Applies a policy as it is stored, as a change of its own. With the fingerprints of a preview only what it showed is written, and
 * nothing at all once a workload differs from it.
 */
export const ChangePolicyApply = ApplyInput.omit({ dry_run: true }).extend({
  policy_id: z.uuid('The ID of a policy.'),
  /** The version that was read. */
  base_version: z.int().min(1).optional(),
  confirm_within_seconds: ChangeCreate.shape.confirm_within_seconds,
  log_new_rules: ChangeCreate.shape.log_new_rules,
});
export type ChangePolicyApply = z.output<typeof ChangePolicyApply>;

const Person = z.object({ id: z.uuid().nullable(), name: z.string() });

export const ChangeTransition = z.object({
  from: z.enum(CHANGE_STATES).nullable(),
  to: z.enum(CHANGE_STATES),
  at: z.string(),
  by: Person,
  comment: z.string(),
});
export type ChangeTransition = z.output<typeof ChangeTransition>;

export const ChangeReview = z.object({
  id: z.uuid(),
  by: Person,
  decision: z.enum(['approve', 'reject']),
  comment: z.string(),
  at: z.string(),
  /** Why it no longer counts; null: it counts. */
  revoked: z.string().nullable(),
});

export const ChangeWave = z.object({
  kind: z.enum(WAVE_KINDS),
  /** Workloads by what became of them in this wave; `waiting`: not written yet. */
  workloads: z.record(z.string(), z.int()),
  workloads_total: z.int(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});

export const ChangeSummary = z.object({
  id: z.uuid(),
  title: z.string(),
  description: z.string(),
  state: z.enum(CHANGE_STATES),
  version: z.int(),
  /** Hash of the items. An approval is bound to it. */
  content_hash: z.string(),
  /** Tenants whose rules it changes; null: the installation. Only those visible to the reader. */
  tenants: z.array(z.object({ id: z.uuid().nullable(), name: z.string().nullable() })),
  items_total: z.int(),
  /** The roll-out waits after its canaries, until someone continues or the pause ends. */
  paused: z.boolean(),
  created_by: Person,
  created_at: z.string(),
  updated_at: z.string(),
  submitted_at: z.string().nullable(),
  applied_at: z.string().nullable(),
  /** When it is rolled back unless confirmed or, where it waits after its canaries or a failure, continued. */
  confirm_until: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type ChangeSummary = z.output<typeof ChangeSummary>;

export const Change = ChangeSummary.extend({
  items: z.array(ChangeItem),
  /** The source that the edits come from, which manages their objects once the change is applied; null: none. */
  managed_by: ManagedBy.nullable(),
  /** Items of owners that are not visible to the reader. */
  hidden_items: z.int(),
  confirm_within_seconds: z.int(),
  waves: Waves,
  on_failure: z.enum(ON_FAILURE),
  rollback_on_failed_check: z.boolean(),
  log_new_rules: settings.log_new_rules,
  /** It is confirmed, and rules that it added are still logged at its level on some workloads. */
  removes_log: z.boolean(),
  scheduled_at: z.string().nullable(),
  within_maintenance: z.boolean(),
  /** When the next maintenance window of all its tenants opens; null: now, or none is defined. */
  next_window_at: z.string().nullable(),
  /** What each owner visible to the reader requires, and has. */
  approvals: z.array(
    z.object({
      tenant_id: z.uuid().nullable(),
      tenant_name: z.string().nullable(),
      rule: ApprovalRule,
      required: z.int(),
      approved: z.int(),
    }),
  ),
  reviews: z.array(ChangeReview),
  /** What compiled differently after it was submitted, so that approvals were revoked; null: nothing. */
  changed_since_review: z
    .object({
      at: z.string(),
      workloads: z.array(
        z.object({ workload_id: z.uuid(), workload_name: z.string(), change: z.enum(REVIEW_CHANGES) }),
      ),
    })
    .nullable(),
  transitions: z.array(ChangeTransition),
  rollout: z.array(ChangeWave),
  /** What could not be done, and what a rollback left because someone else's edit depends on it. */
  problems: z.array(z.object({ code: z.string(), message: z.string(), remedy: z.string().nullable() })),
  /** Acknowledged when it was applied. */
  impact_id: z.uuid().nullable(),
  break_glass_reason: z.string().nullable(),
  /** What it removes because it expired: its approval was that of the policy. Null: it has another reason. */
  expiry: z.array(ApprovedExpiry).nullable(),
  /** The change that this one reverts, and the one that reverts this. */
  reverts: z.uuid().nullable(),
  reverted_by: z.uuid().nullable(),
  /** What the caller may do now. */
  actions: z.array(
    z.enum([
      ...['edit', 'submit', 'approve', 'reject', 'withdraw', 'apply', 'break_glass', 'continue', 'confirm'],
      ...['roll_back', 'revert'],
    ] as const),
  ),
});
export type Change = z.output<typeof Change>;

export const ChangeListInput = listInput(CHANGE_SORTS, {
  state: z.enum(CHANGE_STATES).optional(),
  policy_id: z.uuid().optional(),
  /** Changes that write to this workload, move it, or would filter it differently. */
  workload_id: z.uuid().optional(),
  /** Changes that are rolled back unless someone confirms or continues them in time. */
  timer: z.enum(['running']).optional(),
  /** `open`: neither ended nor withdrawn. */
  status: z.enum(['open', 'ended']).optional(),
});
export type ChangeListInput = z.output<typeof ChangeListInput>;
export const ChangePage = createPageSchema(ChangeSummary);
