import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { DIRECTORY_SECURITY, GROUP_SOURCES } from '@/domain/directory';
import { SECOND_FACTORS, SIGN_IN_METHODS } from '@/domain/second-factor';
import { inet, primaryId, timestampNow, timestamptz } from '../columns';
import { projects, roles, tenants, users } from './access';

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
    /** How the sign-in began, and what proved a second factor. The same in every token of a family. */
    method: text({ enum: SIGN_IN_METHODS }).notNull().default('password'),
    second_factor: text({ enum: SECOND_FACTORS }),
    /** When the sign-in began: the same in every token of a family, also when the first of them are gone. */
    begun_at: timestampNow(),
    created_at: timestampNow(),
    expires_at: timestamptz().notNull(),
    rotated_at: timestamptz(),
    revoked_at: timestamptz(),
    /** Whether the sign-in ended because a rotated token was used again. The sign-in page shows it. */
    reuse_detected: boolean().notNull().default(false),
  },
  (t) => [
    unique('refresh_tokens_hash_key').on(t.token_hash),
    index('refresh_tokens_family_idx').on(t.family_id),
    index('refresh_tokens_user_idx').on(t.user_id),
    index('refresh_tokens_expires_idx').on(t.expires_at),
    check('refresh_tokens_method', sql`${t.method} in ('password', 'oidc', 'ldap')`),
    check('refresh_tokens_second_factor', sql`${t.second_factor} in ('totp', 'recovery_code', 'passkey', 'provider')`),
  ],
);

/** The authenticator app of a user. Without `confirmed_at` it is being set up and asks for nothing yet. */
export const secondFactors = pgTable('second_factors', {
  user_id: uuid()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** AES-256-GCM of the base 32 secret, see lib/crypto; the context is `user_id`. */
  secret_encrypted: text().notNull(),
  secret_key_id: text().notNull(),
  /** The time step of the code that was used last: it and those before are used up. */
  last_step: bigint({ mode: 'number' }),
  confirmed_at: timestamptz(),
  created_at: timestampNow(),
});

/** Passkeys of users: the public keys of their authenticators. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: primaryId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** As the authenticator named it, in base64url. */
    credential_id: text().notNull(),
    /** COSE in base64url. */
    public_key: text().notNull(),
    /** Of the last signature: it only grows, where the authenticator counts at all. */
    counter: bigint({ mode: 'number' }).notNull(),
    transports: text().array().notNull().default(sql`'{}'`),
    /** The host name for which it was created. */
    rp_id: text().notNull(),
    synced: boolean().notNull(),
    created_at: timestampNow(),
    last_used_at: timestamptz(),
  },
  (t) => [
    unique('passkeys_credential_key').on(t.credential_id),
    uniqueIndex('passkeys_user_name_key').on(t.user_id, sql`lower(${t.name})`),
  ],
);

/** Challenges for passkeys of a signed-in user, at most one for each purpose of a sign-in. Used up by the first answer. */
export const passkeyChallenges = pgTable(
  'passkey_challenges',
  {
    id: primaryId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    family_id: uuid().notNull(),
    purpose: text({ enum: ['add', 'prove'] }).notNull(),
    challenge: text().notNull(),
    created_at: timestampNow(),
    expires_at: timestamptz().notNull(),
  },
  (t) => [
    unique('passkey_challenges_once').on(t.family_id, t.purpose),
    index('passkey_challenges_user_idx').on(t.user_id),
    index('passkey_challenges_expires_idx').on(t.expires_at),
    check('passkey_challenges_purpose', sql`${t.purpose} in ('add', 'prove')`),
  ],
);

/** Recovery codes by SHA-256. Each works once. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: primaryId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    code_hash: text().notNull(),
    used_at: timestamptz(),
    created_at: timestampNow(),
  },
  (t) => [unique('recovery_codes_hash_key').on(t.user_id, t.code_hash)],
);

/** First steps of sign-ins that wait for a code, by SHA-256 of the token that the client holds. */
export const signInChallenges = pgTable(
  'sign_in_challenges',
  {
    id: primaryId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    token_hash: text().notNull(),
    method: text({ enum: SIGN_IN_METHODS }).notNull(),
    /** The family that the sign-in will have: data about it at the provider is already stored under it. */
    family_id: uuid(),
    /** What a passkey has to sign; null: not requested, or used up by an answer. */
    passkey_challenge: text(),
    created_at: timestampNow(),
    expires_at: timestamptz().notNull(),
  },
  (t) => [
    unique('sign_in_challenges_hash_key').on(t.token_hash),
    index('sign_in_challenges_user_idx').on(t.user_id),
    index('sign_in_challenges_expires_idx').on(t.expires_at),
    check('sign_in_challenges_method', sql`${t.method} in ('password', 'oidc', 'ldap')`),
  ],
);

/** Whom a sign-in provider means by a subject. */
export const userIdentities = pgTable(
  'user_identities',
  {
    id: primaryId(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    issuer: text().notNull(),
    subject: text().notNull(),
    /** As the provider said it last; for people to read, never to decide by. */
    email: text(),
    /** The name that was last entered to sign in through the directory; null: not known, or another provider. */
    sign_in_name: text(),
    created_at: timestampNow(),
    last_used_at: timestamptz(),
  },
  (t) => [
    unique('user_identities_subject_key').on(t.issuer, t.subject),
    index('user_identities_user_idx').on(t.user_id),
  ],
);

/** What signing out at the provider takes, by the family of a sign-in. It goes when the sign-in ends. */
export const providerSessions = pgTable(
  'provider_sessions',
  {
    family_id: uuid().primaryKey(),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    issuer: text().notNull(),
    /** The ID token of the sign-in. AES-256-GCM, see lib/crypto. */
    id_token_encrypted: text().notNull(),
    secret_key_id: text().notNull(),
    created_at: timestampNow(),
  },
  (t) => [index('provider_sessions_user_idx').on(t.user_id)],
);

/** The sign-in provider: at most one row. */
export const oidcSettings = pgTable(
  'oidc_settings',
  {
    id: text().primaryKey().default('oidc'),
    enabled: boolean().notNull(),
    label: text().notNull(),
    issuer: text().notNull(),
    client_id: text().notNull(),
    /** AES-256-GCM, see lib/crypto; the context is `id`. Null: a public client. */
    client_secret_encrypted: text(),
    client_secret_key_id: text(),
    scopes: text().array().notNull(),
    group_claim: text().notNull(),
    public_url: text().notNull(),
    create_users: boolean().notNull(),
    link_by_email: boolean().notNull(),
    trusts_second_factor: boolean().notNull(),
    /** Signing out here leads to the provider, to sign out there as well. */
    sign_out_at_provider: boolean().notNull().default(false),
    version: integer().notNull().default(1),
    updated_at: timestampNow(),
  },
  (t) => [
    check('oidc_settings_one', sql`${t.id} = 'oidc'`),
    check(
      'oidc_settings_secret_key',
      sql`(${t.client_secret_encrypted} is null) = (${t.client_secret_key_id} is null)`,
    ),
  ],
);

/** The directory whose accounts sign in here: at most one row. */
export const ldapSettings = pgTable(
  'ldap_settings',
  {
    id: text().primaryKey().default('ldap'),
    enabled: boolean().notNull(),
    urls: text().array().notNull(),
    security: text({ enum: DIRECTORY_SECURITY }).notNull(),
    ca_certificate: text(),
    bind_dn: text().notNull(),
    /** AES-256-GCM, see lib/crypto; the context is `id`. */
    bind_password_encrypted: text().notNull(),
    bind_password_key_id: text().notNull(),
    base_dn: text().notNull(),
    user_filter: text().notNull(),
    id_attribute: text().notNull(),
    name_attribute: text().notNull(),
    email_attribute: text().notNull(),
    group_source: text({ enum: GROUP_SOURCES }).notNull(),
    group_base_dn: text().notNull(),
    group_filter: text().notNull(),
    nested_groups: boolean().notNull(),
    disabled_filter: text(),
    require_group: boolean().notNull(),
    version: integer().notNull().default(1),
    updated_at: timestampNow(),
  },
  (t) => [
    check('ldap_settings_one', sql`${t.id} = 'ldap'`),
    check('ldap_settings_security', sql`${t.security} in ('ldaps', 'starttls', 'none')`),
    check('ldap_settings_group_source', sql`${t.group_source} in ('member_of', 'search')`),
  ],
);

/** The roles that a group of the sign-in provider or of the directory gives. */
export const oidcRoleMappings = pgTable(
  'oidc_role_mappings',
  {
    id: primaryId(),
    /** Of which groups they are. */
    provider: text({ enum: ['oidc', 'ldap'] })
      .notNull()
      .default('oidc'),
    group_name: text().notNull(),
    role_id: uuid()
      .notNull()
      .references(() => roles.id, { onDelete: 'restrict' }),
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'cascade' }),
    project_id: uuid(),
    created_at: timestampNow(),
  },
  (t) => [
    check('oidc_role_mappings_provider', sql`${t.provider} in ('oidc', 'ldap')`),
    unique('oidc_role_mappings_once')
      .on(t.provider, t.group_name, t.role_id, t.tenant_id, t.project_id)
      .nullsNotDistinct(),
    foreignKey({
      name: 'oidc_role_mappings_project_fk',
      columns: [t.tenant_id, t.project_id],
      foreignColumns: [projects.tenant_id, projects.id],
    }).onDelete('cascade'),
    check('oidc_role_mappings_project', sql`${t.project_id} is null or ${t.tenant_id} is not null`),
    index('oidc_role_mappings_role_idx').on(t.role_id),
    index('oidc_role_mappings_tenant_idx').on(t.tenant_id),
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
    /** Since when it is disabled because its owner was deactivated; a user has to allow it again. */
    suspended_at: timestamptz(),
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
