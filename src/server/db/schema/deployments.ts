import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import {
  type DeploymentProblem,
  GUEST_RESULT_STATUSES,
  type GuestChanges,
  type StoredPlan,
  type StoredState,
} from '@/domain/deployments';
import type { DesiredRule } from '@/domain/policy/desired';
import type { WrittenSwitches } from '@/domain/policy/plan/guest-filter';
import { POLICY_TIERS } from '@/domain/policy/tier';
import type { ChangedDifference, DormantView, OptionChange } from '@/domain/policy-preview';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { deployments } from './policies';
import { workloads } from './workloads';

/** One guest of a deployment. Outlives the guest. */
export const deploymentGuests = pgTable(
  'deployment_guests',
  {
    id: primaryId(),
    deployment_id: uuid()
      .notNull()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    workload_id: uuid().notNull(),
    vmid: integer().notNull(),
    name: text().notNull(),
    status: text({ enum: GUEST_RESULT_STATUSES }).notNull(),
    writes: integer().notNull().default(0),
    changes: jsonb().$type<GuestChanges>(),
    problems: jsonb().$type<DeploymentProblem[]>().notNull().default([]),
    plan: jsonb().$type<StoredPlan>(),
    /** What was stored there without effect and took effect with the switches; null: nothing was to be written, or not known. */
    dormant: jsonb().$type<DormantView[]>(),
    /** What would have been written instead of what the preview showed. */
    difference: jsonb().$type<ChangedDifference>(),
    /** Switches that were written. */
    switches: jsonb().$type<OptionChange[]>().notNull().default([]),
    /** What is to be known though nothing failed. */
    notes: jsonb().$type<DeploymentProblem[]>().notNull().default([]),
    /** As it was before the first write of the deployment, also when that was another worker's. */
    state_before: jsonb().$type<StoredState>(),
    started_at: timestamptz(),
    finished_at: timestamptz(),
  },
  (t) => [
    unique('deployment_guests_key').on(t.deployment_id, t.workload_id),
    index('deployment_guests_workload_idx').on(t.workload_id),
    check(
      'deployment_guests_status',
      sql`${t.status} in ('queued', 'running', 'ok', 'unchanged', 'partial', 'failed', 'skipped')`,
    ),
  ],
);

/**
 * What was last applied of a policy at a guest. A row is created before the first write and deleted when it is proven
 * that nothing of the policy is left there, so no guest has managed rules without a row. Outlives the policy.
 */
export const policyPlacements = pgTable(
  'policy_placements',
  {
    policy_id: uuid().notNull(),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    policy_version: integer().notNull(),
    rules: jsonb().$type<DesiredRule[]>().notNull(),
    /** Whether the policy asks for a default of dropping there. */
    drop_in: boolean().notNull(),
    drop_out: boolean().notNull(),
    /** What decided the place of its rules among those of other policies. */
    tier: text({ enum: POLICY_TIERS }).notNull(),
    priority: integer().notNull(),
    /** Null: begun and not known to be complete. */
    applied_at: timestamptz(),
    created_at: timestampNow(),
  },
  (t) => [
    primaryKey({ name: 'policy_placements_pair', columns: [t.policy_id, t.workload_id] }),
    index('policy_placements_workload_idx').on(t.workload_id),
  ],
);

/** The one writer of a guest's firewall, and what it needs to undo what policies changed there. */
export const guestFirewalls = pgTable('guest_firewalls', {
  workload_id: uuid()
    .primaryKey()
    .references(() => workloads.id, { onDelete: 'cascade' }),
  lease_owner: text(),
  lease_at: timestamptz(),
  default_in_before: text({ enum: ['ACCEPT', 'REJECT'] }),
  default_out_before: text({ enum: ['ACCEPT', 'REJECT'] }),
  /** The guest before the first policy there; null: no policy, or not known. */
  baseline: jsonb().$type<StoredState>(),
  /** Switches of the guest that were written since. */
  switches_written: jsonb().$type<WrittenSwitches>(),
});
