import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { DEPLOYMENT_KINDS, DEPLOYMENT_RUN_STATUSES } from '@/domain/choices';
import { DEPLOYMENT_TRIGGERS, type DeploymentProblem } from '@/domain/deployments';
import type { ManagedBy } from '@/domain/managed-source';
import type { StoredSnapshot } from '@/domain/policies';
import { RULE_LOG_LEVELS } from '@/domain/policy/choices';
import type { PolicyDefinition } from '@/domain/policy/policy';
import { DEFAULT_VISIBILITY, POLICY_TIERS, TENANT_VISIBILITIES } from '@/domain/policy/tier';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { projects, tenants, users } from './access';
import { clusters } from './clusters';
import { workloads } from './workloads';

export const securityGroups = pgTable(
  'security_groups',
  {
    id: primaryId(),
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'restrict' }),
    /** Set: it belongs to this project of the tenant. */
    project_id: uuid(),
    name: text().notNull(),
    description: text().notNull().default(''),
    /** Workloads with these tags are members as long as they have them, besides those in `security_group_members`. */
    member_tags: text().array().notNull().default(sql`'{}'`),
    member_tags_match: text({ enum: ['any', 'all'] })
      .notNull()
      .default('any'),
    /** Set: it is managed as code, and only what is applied from this source edits it. */
    managed_by: jsonb().$type<ManagedBy>(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('security_groups_name_key').on(t.tenant_id, t.project_id, t.name).nullsNotDistinct(),
    foreignKey({
      name: 'security_groups_project_fk',
      columns: [t.tenant_id, t.project_id],
      foreignColumns: [projects.tenant_id, projects.id],
    }).onDelete('restrict'),
    check('security_groups_project', sql`${t.project_id} is null or ${t.tenant_id} is not null`),
    index('security_groups_project_idx').on(t.project_id),
    check('security_groups_match', sql`${t.member_tags_match} in ('any', 'all')`),
  ],
);

export const securityGroupMembers = pgTable(
  'security_group_members',
  {
    security_group_id: uuid()
      .notNull()
      .references(() => securityGroups.id, { onDelete: 'cascade' }),
    workload_id: uuid()
      .notNull()
      .references(() => workloads.id, { onDelete: 'cascade' }),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    primaryKey({ name: 'security_group_members_pair', columns: [t.security_group_id, t.workload_id] }),
    index('security_group_members_workload_idx').on(t.workload_id),
  ],
);

const responsible = () => ({
  /** Email address of who answers for it; empty: no owner. */
  owner: text().notNull().default(''),
  ticket: text().notNull().default(''),
  /** From then on it has expired; null: never. */
  expires_at: timestamptz(),
});

export const policies = pgTable(
  'policies',
  {
    id: primaryId(),
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'restrict' }),
    /** Set: it belongs to this project of the tenant. */
    project_id: uuid(),
    name: text().notNull(),
    description: text().notNull().default(''),
    enabled: boolean().notNull().default(true),
    tier: text({ enum: POLICY_TIERS }).notNull(),
    tenant_visibility: text({ enum: TENANT_VISIBILITIES }).notNull().default(DEFAULT_VISIBILITY),
    priority: integer().notNull().default(100),
    ...responsible(),
    definition: jsonb().$type<PolicyDefinition>().notNull(),
    /** Set: it is managed as code, and only what is applied from this source edits it. */
    managed_by: jsonb().$type<ManagedBy>(),
    version: integer().notNull().default(1),
    /** Why what expired could not be removed; null: nothing is in the way. */
    expiry_problem: text(),
    /** The first version in a row whose compiled rules are those of the present one; null: the present one alone. */
    rules_version: integer(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('policies_name_key').on(t.tenant_id, t.project_id, t.name).nullsNotDistinct(),
    foreignKey({
      name: 'policies_project_fk',
      columns: [t.tenant_id, t.project_id],
      foreignColumns: [projects.tenant_id, projects.id],
    }).onDelete('restrict'),
    check('policies_project', sql`${t.project_id} is null or ${t.tenant_id} is not null`),
    index('policies_project_idx').on(t.project_id),
    index('policies_expires_idx').on(t.expires_at).where(sql`expires_at is not null`),
    check('policies_mode', sql`${t.definition} ->> 'enforcement_mode' in ('enforced', 'audit')`),
    check('policies_tier', sql`${t.tier} in ('platform_first', 'tenant', 'platform_last')`),
    check('policies_tier_of_tenant', sql`(${t.tenant_id} is null) = (${t.tier} <> 'tenant')`),
    check('policies_tenant_visibility', sql`${t.tenant_visibility} in ('hidden', 'name', 'rules')`),
    check('policies_version', sql`${t.version} >= 1`),
    check('policies_rules_version', sql`${t.rules_version} between 1 and ${t.version}`),
  ],
);

export const securityRules = pgTable(
  'security_rules',
  {
    id: primaryId(),
    policy_id: uuid()
      .notNull()
      .references(() => policies.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    action: text({ enum: ['accept', 'drop', 'reject'] }).notNull(),
    protocol: text({ enum: ['any', 'tcp', 'udp', 'tcp/udp', 'icmp', 'icmpv6', 'sctp'] }).notNull(),
    /** Ports and ranges (`8000-8080`), sorted and joined; empty means every port. */
    destination_ports: text().array().notNull().default(sql`'{}'`),
    source_ports: text().array().notNull().default(sql`'{}'`),
    icmp_type: text(),
    log: text({ enum: RULE_LOG_LEVELS }).notNull().default('nolog'),
    enabled: boolean().notNull().default(true),
    comment: text().notNull().default(''),
    ...responsible(),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    uniqueIndex('security_rules_position_key').on(t.policy_id, t.position),
    index('security_rules_expires_idx').on(t.expires_at).where(sql`expires_at is not null`),
    check('security_rules_action', sql`${t.action} in ('accept', 'drop', 'reject')`),
    check('security_rules_protocol', sql`${t.protocol} in ('any', 'tcp', 'udp', 'tcp/udp', 'icmp', 'icmpv6', 'sctp')`),
    check('security_rules_position', sql`${t.position} >= 0`),
  ],
);

/** Confirmations that a policy is still needed; the last one counts. The audit trail keeps those of policies that are gone. */
export const recertifications = pgTable(
  'recertifications',
  {
    id: primaryId(),
    policy_id: uuid()
      .notNull()
      .references(() => policies.id, { onDelete: 'cascade' }),
    policy_version: integer().notNull(),
    confirmed_at: timestamptz().notNull(),
    user_id: uuid().references(() => users.id, { onDelete: 'set null' }),
    user_name: text().notNull(),
    note: text().notNull().default(''),
  },
  (t) => [
    index('recertifications_policy_idx').on(t.policy_id, t.confirmed_at.desc()),
    index('recertifications_user_idx').on(t.user_id),
  ],
);

/** Every version a policy ever had. Rows are immutable and outlive the policy, so `policy_id` has no foreign key. */
export const policyVersions = pgTable(
  'policy_versions',
  {
    id: primaryId(),
    policy_id: uuid().notNull(),
    version: integer().notNull(),
    snapshot: jsonb().$type<StoredSnapshot>().notNull(),
    reason: text().notNull().default(''),
    author_id: uuid(),
    created_at: timestampNow(),
  },
  (t) => [unique('policy_versions_key').on(t.policy_id, t.version)],
);

/**
 * One apply or cleanup of one policy on one cluster; results per guest are in `deployment_guests`. Outlives the
 * policy.
 */
export const deployments = pgTable(
  'deployments',
  {
    id: primaryId(),
    /** One request may concern several clusters. */
    operation_id: uuid().notNull(),
    policy_id: uuid().notNull(),
    policy_name: text().notNull(),
    policy_version: integer().notNull(),
    /** As of the request; both decide who may see it after the policy is gone. */
    tenant_id: uuid(),
    project_id: uuid(),
    cluster_id: uuid()
      .notNull()
      .references(() => clusters.id, { onDelete: 'cascade' }),
    kind: text({ enum: DEPLOYMENT_KINDS }).notNull(),
    trigger: text({ enum: DEPLOYMENT_TRIGGERS }).notNull(),
    status: text({ enum: DEPLOYMENT_RUN_STATUSES }).notNull(),
    /** Only the guests that failed there are done again. */
    retry_of: uuid(),
    /** By workload, what a preview showed: nothing else is written. Null: asked for without a preview. */
    fingerprints: jsonb().$type<Readonly<Record<string, string>>>(),
    progress_done: integer().notNull().default(0),
    progress_total: integer(),
    writes: integer().notNull().default(0),
    problems: jsonb().$type<DeploymentProblem[]>().notNull().default([]),
    requested_by: uuid().references(() => users.id, { onDelete: 'set null' }),
    /** The change that it is part of, and which of its waves; negative waves undo those before. Null: requested by itself. */
    change_id: uuid(),
    wave: integer(),
    /** It writes to no other workloads; null: to all that the policy concerns. */
    workload_ids: uuid().array(),
    /** The processor that works on it and when it last said so: without a sign of life it is taken over. */
    lease_owner: text(),
    lease_at: timestamptz(),
    attempts: integer().notNull().default(0),
    created_at: timestampNow(),
    started_at: timestamptz(),
    finished_at: timestamptz(),
  },
  (t) => [
    index('deployments_policy_idx').on(t.policy_id, t.cluster_id, t.created_at),
    index('deployments_cluster_idx').on(t.cluster_id),
    index('deployments_operation_idx').on(t.operation_id),
    index('deployments_change_idx').on(t.change_id, t.wave).where(sql`change_id is not null`),
    index('deployments_active_idx').on(t.status).where(sql`status in ('queued', 'running')`),
    uniqueIndex('deployments_one_waiting')
      .on(t.policy_id, t.cluster_id, t.kind)
      .where(
        sql`status = 'queued' and retry_of is null and fingerprints is null and change_id is null and workload_ids is null`,
      ),
    check('deployments_kind', sql`${t.kind} in ('apply', 'cleanup', 'removal', 'log_removal')`),
    check('deployments_status', sql`${t.status} in ('queued', 'running', 'ok', 'partial', 'failed')`),
    check('deployments_finished', sql`(${t.finished_at} is not null) = (${t.status} in ('ok', 'partial', 'failed'))`),
  ],
);
