import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { inet, primaryId, timestampNow, timestamptz } from '../columns';

export const tenants = pgTable(
  'tenants',
  {
    id: primaryId(),
    name: text().notNull(),
    description: text().notNull().default(''),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [uniqueIndex('tenants_name_key').on(sql`lower(${t.name})`)],
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
  (t) => [uniqueIndex('projects_tenant_name_key').on(t.tenant_id, sql`lower(${t.name})`)],
);

export const users = pgTable(
  'users',
  {
    id: primaryId(),
    email: text().notNull(),
    name: text().notNull().default(''),
    password_hash: text().notNull(),
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
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [unique('roles_name_key').on(t.name), check('roles_name_form', sql`${t.name} ~ '^[a-z][a-z0-9_]{1,62}$'`)],
);

/** A role given to a user: platform-wide when `tenant_id` is null, else inside that tenant. */
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
    expires_at: timestamptz(),
    created_at: timestampNow(),
  },
  (t) => [
    unique('role_assignments_once').on(t.user_id, t.role_id, t.tenant_id).nullsNotDistinct(),
    index('role_assignments_role_idx').on(t.role_id),
    index('role_assignments_tenant_idx').on(t.tenant_id),
  ],
);

/** Refresh tokens by SHA-256; a rotated one stays until it expires, so that its reuse is noticed. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    id: primaryId(),
    family_id: uuid().notNull(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    token_hash: text().notNull(),
    user_agent: text(),
    source_address: inet(),
    created_at: timestampNow(),
    expires_at: timestamptz().notNull(),
    rotated_at: timestamptz(),
    revoked_at: timestamptz(),
  },
  (t) => [
    unique('refresh_tokens_hash_key').on(t.token_hash),
    index('refresh_tokens_family_idx').on(t.family_id),
    index('refresh_tokens_user_idx').on(t.user_id),
    index('refresh_tokens_expires_idx').on(t.expires_at),
  ],
);

/** Tokens for programs, by SHA-256. A revoked one is deleted; the audit trail keeps who made and revoked it. */
export const apiTokens = pgTable(
  'api_tokens',
  {
    id: primaryId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    prefix: text().notNull(),
    token_hash: text().notNull(),
    permissions: text().array().notNull(),
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'cascade' }),
    created_at: timestampNow(),
    expires_at: timestamptz().notNull(),
    last_used_at: timestamptz(),
    last_used_address: inet(),
  },
  (t) => [
    unique('api_tokens_hash_key').on(t.token_hash),
    uniqueIndex('api_tokens_user_name_key').on(t.user_id, sql`lower(${t.name})`),
    index('api_tokens_tenant_idx').on(t.tenant_id),
    check('api_tokens_limited', sql`cardinality(${t.permissions}) > 0`),
  ],
);

/** Fixed-window counters shared by all web processes (sign-in, setup). Losing them costs nothing. */
export const rateLimits = pgTable(
  'rate_limits',
  {
    key: text().primaryKey(),
    window_start: timestamptz().notNull(),
    hits: integer().notNull().default(0),
  },
  (t) => [index('rate_limits_window_idx').on(t.window_start)],
);
