import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { ChangeItem } from '@/domain/change/items';
import type { CompiledNote, ReviewDifference } from '@/domain/change/review';
import type { StoredApplyRequest, StoredRollout } from '@/domain/change/rollout';
import { CHANGE_STATES } from '@/domain/change/states';
import { ON_FAILURE, WAVE_KINDS, type Waves } from '@/domain/change/waves';
import type { DeploymentProblem } from '@/domain/deployments';
import type { ManagedBy } from '@/domain/managed-source';
import type { ApprovedExpiry } from '@/domain/policy/expiry';
import { TEMPORARY_LOG_LEVELS } from '@/domain/policy/temporary-log';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { workloads } from './workloads';

/** Edits to policies and groups that are reviewed, applied and rolled back as a whole. Rows outlive the policies. */
export const changes = pgTable(
  'changes',
  {
    id: primaryId(),
    title: text().notNull(),
    description: text().notNull().default(''),
    state: text({ enum: CHANGE_STATES }).notNull().default('draft'),
    version: integer().notNull().default(1),
    items: jsonb().$type<ChangeItem[]>().notNull(),
    /** Hash of the items. */
    content_hash: text().notNull(),
    /** Hash of what the items compile to and change on the workloads, as of the submission; approvals are bound to it. */
    compiled_hash: text(),
    /** What that hash is of, workload by workload, to say later what differs. */
    compiled: jsonb().$type<CompiledNote>(),
    /** What compiled differently after the submission; null: nothing. */
    changed_since_review: jsonb().$type<ReviewDifference>(),
    confirm_within_seconds: integer().notNull(),
    waves: jsonb().$type<Waves>().notNull(),
    on_failure: text({ enum: ON_FAILURE }).notNull(),
    rollback_on_failed_check: boolean().notNull(),
    /** Level at which rules that it adds are logged until it is confirmed or rolled back; null: they are not. */
    log_new_rules: text({ enum: TEMPORARY_LOG_LEVELS }),
    /** Confirmed, and rules of it are still logged. */
    removes_log: boolean().notNull().default(false),
    scheduled_at: timestamptz(),
    within_maintenance: boolean().notNull().default(false),
    /** Where its edits come from; what it edits is managed from there once it is applied. Null: not from a file with a source. */
    managed_by: jsonb().$type<ManagedBy>(),
    /** Everyone who wrote its content; none of them may approve it. */
    author_ids: uuid().array().notNull().default(sql`'{}'`),
    created_by: uuid(),
    created_by_name: text().notNull(),
    impact_id: uuid(),
    /** Conversations that the impact newly blocks, as acknowledged. */
    newly_blocked: integer(),
    break_glass_reason: text(),
    reverts: uuid(),
    /** What it removes because it expired; null: it has another reason. Its approval was that of the policy. */
    expiry: jsonb().$type<ApprovedExpiry[]>(),
    problems: jsonb().$type<DeploymentProblem[]>().notNull().default([]),
    /** Set: it is applied at the scheduled time. */
    apply_request: jsonb().$type<StoredApplyRequest>(),
    /** Null: not applied yet. */
    rollout: jsonb().$type<StoredRollout>(),
    submitted_at: timestamptz(),
    applied_at: timestamptz(),
    /** When the last write ended, and when it is rolled back unless confirmed. */
    written_at: timestamptz(),
    confirm_until: timestamptz(),
    finished_at: timestamptz(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    index('changes_state_idx').on(t.state, t.created_at),
    index('changes_due_idx')
      .on(t.state)
      .where(
        sql`state in ('applying', 'awaiting_confirmation', 'rolling_back', 'failed') or apply_request is not null or removes_log`,
      ),
    index('changes_expiry_idx').on(t.state).where(sql`expiry is not null`),
    index('changes_reverts_idx').on(t.reverts).where(sql`${t.reverts} is not null`),
    check(
      'changes_state',
      sql`${t.state} in ('draft', 'in_review', 'approved', 'applying', 'awaiting_confirmation', 'confirmed', 'rejected', 'withdrawn', 'rolling_back', 'rolled_back', 'failed')`,
    ),
    check('changes_on_failure', sql`${t.on_failure} in ('stop', 'continue', 'rollback')`),
    check('changes_version', sql`${t.version} >= 1`),
    check('changes_timer', sql`(${t.state} <> 'awaiting_confirmation') or ${t.confirm_until} is not null`),
  ],
);

/** Whose rules a change changes, from its items: decides who sees it and whose approval it needs. */
export const changeOwners = pgTable(
  'change_owners',
  {
    id: primaryId(),
    change_id: uuid()
      .notNull()
      .references(() => changes.id, { onDelete: 'cascade' }),
    tenant_id: uuid(),
    project_id: uuid(),
  },
  (t) => [
    unique('change_owners_key').on(t.change_id, t.tenant_id, t.project_id).nullsNotDistinct(),
    index('change_owners_tenant_idx').on(t.tenant_id),
  ],
);

/** The policies and groups that a change touches. */
export const changeObjects = pgTable(
  'change_objects',
  {
    change_id: uuid()
      .notNull()
      .references(() => changes.id, { onDelete: 'cascade' }),
    object_id: uuid().notNull(),
  },
  (t) => [
    primaryKey({ name: 'change_objects_pair', columns: [t.change_id, t.object_id] }),
    index('change_objects_object_idx').on(t.object_id),
  ],
);

/** Decisions of a review. A later edit, or another compiled result, revokes an approval; the row stays. */
export const changeReviews = pgTable(
  'change_reviews',
  {
    id: primaryId(),
    change_id: uuid()
      .notNull()
      .references(() => changes.id, { onDelete: 'cascade' }),
    actor_id: uuid().notNull(),
    actor_name: text().notNull(),
    decision: text({ enum: ['approve', 'reject'] }).notNull(),
    /** Tenants for which the approver could approve; null: the whole installation. */
    tenant_ids: uuid().array(),
    content_hash: text().notNull(),
    compiled_hash: text().notNull(),
    comment: text().notNull().default(''),
    revoked: text(),
    created_at: timestampNow(),
  },
  (t) => [
    index('change_reviews_change_idx').on(t.change_id, t.created_at),
    check('change_reviews_decision', sql`${t.decision} in ('approve', 'reject')`),
  ],
);

/** Every state that a change had. */
export const changeTransitions = pgTable(
  'change_transitions',
  {
    id: primaryId(),
    change_id: uuid()
      .notNull()
      .references(() => changes.id, { onDelete: 'cascade' }),
    from: text({ enum: CHANGE_STATES }),
    to: text({ enum: CHANGE_STATES }).notNull(),
    actor_id: uuid(),
    actor_name: text().notNull(),
    comment: text().notNull().default(''),
    created_at: timestampNow(),
  },
  (t) => [index('change_transitions_change_idx').on(t.change_id, t.created_at)],
);

/** The workloads of a change by wave, planned when it is applied. */
export const changeWorkloads = pgTable(
  'change_workloads',
  {
    change_id: uuid()
      .notNull()
      .references(() => changes.id, { onDelete: 'cascade' }),
    workload_id: uuid().notNull(),
    wave: integer().notNull(),
    wave_kind: text({ enum: WAVE_KINDS }).notNull(),
  },
  (t) => [
    primaryKey({ name: 'change_workloads_pair', columns: [t.change_id, t.workload_id] }),
    index('change_workloads_workload_idx').on(t.workload_id),
  ],
);

/** Rules that a change added, until they are no longer logged at the level of the change. Of each rule only the last change counts. */
export const temporaryLogs = pgTable(
  'temporary_logs',
  {
    policy_id: uuid().notNull(),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    change_id: uuid()
      .notNull()
      .references(() => changes.id, { onDelete: 'cascade' }),
    level: text({ enum: TEMPORARY_LOG_LEVELS }).notNull(),
    rule_hashes: text().array().notNull(),
    created_at: timestampNow(),
  },
  (t) => [
    primaryKey({ name: 'temporary_logs_pair', columns: [t.policy_id, t.workload_id] }),
    index('temporary_logs_change_idx').on(t.change_id),
    index('temporary_logs_workload_idx').on(t.workload_id),
  ],
);
