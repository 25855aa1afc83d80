import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, jsonb, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { DeploymentProblem } from '@/domain/deployments';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { tenants } from './access';
import { workloads } from './workloads';

/**
 * Which tenant a workload belonged to, and when. Maintained by a trigger on `workloads`, so that every way of changing
 * the project is covered. Time without a tenant counts as the next tenant's, because no tenant owned it before.
 */
export const workloadOwners = pgTable(
  'workload_owners',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    tenant_id: uuid()
      .notNull()
      .references(() => tenants.id, { onDelete: 'cascade' }),
    /** When the tenant before it lost the workload; null: there was none. */
    from_at: timestamptz(),
    /** Null: still the owner. */
    to_at: timestamptz(),
    /** What the workload was called when it went. */
    workload_name: text(),
  },
  (t) => [
    index('workload_owners_workload_idx').on(t.workload_id),
    uniqueIndex('workload_owners_one_open').on(t.workload_id).where(sql`to_at is null`),
    // Most workloads never move: what reads history looks only at those that did.
    index('workload_owners_moved_idx').on(t.tenant_id).where(sql`from_at is not null or to_at is not null`),
  ],
);

/**
 * Rules that a policy left on a workload that went to another tenant or project, until it is proven that they are gone. Outlives the
 * policy.
 */
export const residualRules = pgTable(
  'residual_rules',
  {
    id: primaryId(),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    policy_id: uuid().notNull(),
    policy_name: text().notNull(),
    policy_version: integer().notNull(),
    /** The tenant of the policy; null: deleted since. */
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'set null' }),
    /** The project of the policy, also when it is deleted since: the rules are no less residual. */
    project_id: uuid(),
    /** The workload as it was called when it went. */
    workload_name: text().notNull(),
    /** `remove`: removed by the worker, and retried. `keep`: left until a user requests the removal. */
    mode: text({ enum: ['remove', 'keep'] }).notNull(),
    since: timestampNow(),
    attempts: integer().notNull().default(0),
    attempted_at: timestamptz(),
    /** Why the last attempt failed. */
    problem: jsonb().$type<DeploymentProblem>(),
  },
  (t) => [
    unique('residual_rules_key').on(t.workload_id, t.policy_id),
    index('residual_rules_tenant_idx').on(t.tenant_id),
    check('residual_rules_mode', sql`${t.mode} in ('remove', 'keep')`),
  ],
);
