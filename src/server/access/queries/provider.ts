import { and, asc, eq, lt, sql } from 'drizzle-orm';
import { UserIdentity } from '@/domain/sign-in-provider';
import type { Executor, Tx } from '../../db/client';
import { selectColumns } from '../../db/declared-fields';
import { projects, roles, tenants } from '../../db/schema/access';
import {
  oidcRoleMappings,
  oidcSettings,
  providerSessions,
  refreshTokens,
  userIdentities,
} from '../../db/schema/sign-in';

export type OidcSettingsRow = typeof oidcSettings.$inferSelect;

/** The key of the only row; also what its secret is bound to. */
export const OIDC_ID = 'oidc';

/** What is stored of the sign-in provider, or null. */
export async function findOidcSettings(executor: Executor): Promise<OidcSettingsRow | null> {
  const [row] = await executor.select().from(oidcSettings).where(eq(oidcSettings.id, OIDC_ID));
  return row ?? null;
}

/** Makes this transaction the only one that changes the provider, until it ends. */
export async function lockOidcSettings(tx: Tx): Promise<OidcSettingsRow | null> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('sign-in-provider', 0))`);
  return findOidcSettings(tx);
}

/** Stores the provider in place of what there was. */
export async function storeOidcSettings(tx: Tx, row: Omit<typeof oidcSettings.$inferInsert, 'id'>): Promise<void> {
  await tx
    .insert(oidcSettings)
    .values({ ...row, id: OIDC_ID })
    .onConflictDoUpdate({ target: oidcSettings.id, set: row });
}

export type RoleMapping = {
  group: string;
  role_id: string;
  role: string;
  role_title: string;
  tenant_id: string | null;
  tenant_name: string | null;
  project_id: string | null;
  project_name: string | null;
};

/** Whose groups give roles. */
export type GroupProvider = (typeof oidcRoleMappings.$inferSelect)['provider'];

/** Which roles the groups of a provider give, by group and role. */
export async function listRoleMappings(executor: Executor, provider: GroupProvider): Promise<RoleMapping[]> {
  return executor
    .select({
      group: oidcRoleMappings.group_name,
      role_id: oidcRoleMappings.role_id,
      role: roles.name,
      role_title: roles.title,
      tenant_id: oidcRoleMappings.tenant_id,
      tenant_name: tenants.name,
      project_id: oidcRoleMappings.project_id,
      project_name: projects.name,
    })
    .from(oidcRoleMappings)
    .innerJoin(roles, eq(roles.id, oidcRoleMappings.role_id))
    .leftJoin(tenants, eq(tenants.id, oidcRoleMappings.tenant_id))
    .leftJoin(projects, eq(projects.id, oidcRoleMappings.project_id))
    .where(eq(oidcRoleMappings.provider, provider))
    .orderBy(asc(oidcRoleMappings.group_name), asc(roles.title), asc(oidcRoleMappings.id));
}

type NewMapping = { group: string; role_id: string; tenant_id: string | null; project_id: string | null };

export async function replaceRoleMappings(
  tx: Tx,
  provider: GroupProvider,
  mappings: readonly NewMapping[],
): Promise<void> {
  await tx.delete(oidcRoleMappings).where(eq(oidcRoleMappings.provider, provider));
  if (mappings.length === 0) return;
  const rows = mappings.map(({ group, ...rest }) => ({ provider, group_name: group, ...rest }));
  await tx.insert(oidcRoleMappings).values(rows);
}

/** Whether a group gives the role. */
export async function isRoleMapped(tx: Tx, roleId: string): Promise<boolean> {
  return (await tx.$count(oidcRoleMappings, eq(oidcRoleMappings.role_id, roleId))) > 0;
}

export type ProviderSessionRow = typeof providerSessions.$inferSelect;

/** Keeps what signing out at the provider will take. */
export async function insertProviderSession(tx: Tx, row: typeof providerSessions.$inferInsert): Promise<void> {
  await tx.insert(providerSessions).values(row);
}

/** Forgets what was kept of a sign-in, and answers it. */
export async function deleteProviderSession(tx: Tx, familyId: string): Promise<ProviderSessionRow | null> {
  const [row] = await tx.delete(providerSessions).where(eq(providerSessions.family_id, familyId)).returning();
  return row ?? null;
}

/** Deletes what is left from before `cutoff` of sign-ins that expired or never got beyond the first step. @returns how many */
export async function deleteEndedProviderSessions(executor: Executor, cutoff: string): Promise<number> {
  const open = sql`exists (select 1 from ${refreshTokens}
    where ${eq(refreshTokens.family_id, providerSessions.family_id)} and ${refreshTokens.revoked_at} is null)`;
  const rows = await executor
    .delete(providerSessions)
    .where(and(lt(providerSessions.created_at, cutoff), sql`not ${open}`))
    .returning({ id: providerSessions.family_id });
  return rows.length;
}

type IdentityRow = typeof userIdentities.$inferSelect;

/** The identity that a provider means by this subject. */
export async function findIdentity(tx: Tx, issuer: string, subject: string): Promise<IdentityRow | null> {
  const [row] = await tx
    .select()
    .from(userIdentities)
    .where(and(eq(userIdentities.issuer, issuer), eq(userIdentities.subject, subject)));
  return row ?? null;
}

/** Accounts at providers that belong to a user, oldest first. */
export async function listIdentities(executor: Executor, userId: string): Promise<UserIdentity[]> {
  return executor
    .select(selectColumns(UserIdentity, userIdentities, {}))
    .from(userIdentities)
    .where(eq(userIdentities.user_id, userId))
    .orderBy(asc(userIdentities.id));
}

export async function insertIdentity(tx: Tx, row: typeof userIdentities.$inferInsert): Promise<void> {
  await tx.insert(userIdentities).values(row);
}

export async function recordIdentityUse(
  tx: Tx,
  id: string,
  use: Pick<IdentityRow, 'email' | 'last_used_at'> & { sign_in_name?: string },
): Promise<void> {
  await tx.update(userIdentities).set(use).where(eq(userIdentities.id, id));
}

/** Parts a user from an account at a provider. @returns what it was, or null */
export async function deleteIdentity(tx: Tx, userId: string, id: string): Promise<IdentityRow | null> {
  const [row] = await tx
    .delete(userIdentities)
    .where(and(eq(userIdentities.id, id), eq(userIdentities.user_id, userId)))
    .returning();
  return row ?? null;
}

/** Makes this transaction the only one that signs this subject in, until it ends: a first sign-in must make one account. */
export async function lockSubject(tx: Tx, issuer: string, subject: string): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`identity:${JSON.stringify([issuer, subject])}`}, 0))`,
  );
}
