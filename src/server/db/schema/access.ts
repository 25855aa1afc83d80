import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { MaintenanceWindow } from '@/domain/change/maintenance';
import { APPROVAL_SCOPES, ON_EXPIRY, type RECERTIFICATION_PERIODS } from '@/domain/choices';
import { primaryId, timestampNow, timestamptz } from '../columns';

export const tenants = pgTable(
  'tenants',
  {
    id: primaryId(),
    name: text().notNull(),
    description: text().notNull().default(''),
    /** What becomes of the tenant's rules on a workload that a mapping rule gives to another tenant. */
    on_move: text({ enum: ['remove', 'keep'] })
      .notNull()
      .default('remove'),
    /** How many approvals changes to its rules need, besides what the installation requires. */
    approvals_required: integer().notNull().default(0),
    approval_scope: text({ enum: APPROVAL_SCOPES }).notNull().default('enforcing'),
    /** What becomes of its expired rules and policies. */
    on_expiry: text({ enum: ON_EXPIRY }).notNull().default('report'),
    /** How often its policies have to be confirmed; null: never. */
    recertification_days: integer().$type<(typeof RECERTIFICATION_PERIODS)[number]>(),
    /** When changes to its rules may be applied; empty: at any time. */
    maintenance_windows: jsonb().$type<MaintenanceWindow[]>().notNull().default([]),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    check('tenants_approvals_required', sql`${t.approvals_required} between 0 and 5`),
    check('tenants_approval_scope', sql`${t.approval_scope} in ('enforcing', 'all')`),
    check('tenants_recertification_days', sql`${t.recertification_days} in (90, 180, 365)`),
    check('tenants_on_expiry', sql`${t.on_expiry} in ('report', 'remove')`),
    check('tenants_on_move', sql`${t.on_move} in ('remove', 'keep')`),
    uniqueIndex('tenants_name_key').on(sql`lower(${t.name})`),
  ],
);

export const projects = pgTable(
  'projects',
  {
    id: primaryId(),
    tenant_id: uuid()
      .notNull()
      .references(() => tenants.id, { onDelete: 'restrict' }),
    name: text().notNull(),
    description: text().notNull().default(''),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    uniqueIndex('projects_tenant_name_key').on(t.tenant_id, sql`lower(${t.name})`),
    // What names a project together with its tenant refers to both: a project of another tenant cannot be named.
    unique('projects_of_tenant').on(t.tenant_id, t.id),
  ],
);

export const users = pgTable(
  'users',
  {
    id: primaryId(),
    email: text().notNull(),
    name: text().notNull().default(''),
    /** Null: an account that only a sign-in provider lets in. */
    password_hash: text(),
    /** False: the password, if there is one, does not sign in. */
    password_sign_in: boolean().notNull().default(true),
    active: boolean().notNull().default(true),
    last_login_at: timestamptz(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('users_email_key').on(t.email),
    check('users_email_normal', sql`${t.email} = lower(btrim(${t.email})) and ${t.email} <> ''`),
  ],
);

export const roles = pgTable(
  'roles',
  {
    id: primaryId(),
    name: text().notNull(),
    title: text().notNull(),
    permissions: text().array().notNull().default(sql`'{}'`),
    built_in: boolean().notNull().default(false),
    /** The user may do nothing before a second factor is set up. */
    requires_second_factor: boolean().notNull().default(false),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [unique('roles_name_key').on(t.name), check('roles_name_form', sql`${t.name} ~ '^[a-z][a-z0-9_]{1,62}$'`)],
);

/** A role given to a user: platform-wide when `tenant_id` is null, else inside that tenant, or that project of it. */
export const roleAssignments = pgTable(
  'role_assignments',
  {
    id: primaryId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role_id: uuid()
      .notNull()
      .references(() => roles.id, { onDelete: 'restrict' }),
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'cascade' }),
    project_id: uuid(),
    expires_at: timestamptz(),
    /** `oidc`, `ldap`: given by a group of the sign-in provider or directory; evaluated again at every sign-in there. */
    source: text({ enum: ['manual', 'oidc', 'ldap'] })
      .notNull()
      .default('manual'),
    created_at: timestampNow(),
  },
  (t) => [
    check('role_assignments_source', sql`${t.source} in ('manual', 'oidc', 'ldap')`),
    unique('role_assignments_once').on(t.user_id, t.role_id, t.tenant_id, t.project_id).nullsNotDistinct(),
    foreignKey({
      name: 'role_assignments_project_fk',
      columns: [t.tenant_id, t.project_id],
      foreignColumns: [projects.tenant_id, projects.id],
    }).onDelete('cascade'),
    check('role_assignments_project', sql`${t.project_id} is null or ${t.tenant_id} is not null`),
    index('role_assignments_role_idx').on(t.role_id),
    index('role_assignments_project_idx').on(t.project_id),
    index('role_assignments_tenant_idx').on(t.tenant_id),
  ],
);
