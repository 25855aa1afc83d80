import { asc, eq, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { oidcRoleMappings, oidcSettings, projects, roles, tenants } from '../../db/schema/access';

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

/** Which roles groups give, by group and role. */
export async function listRoleMappings(executor: Executor): Promise<RoleMapping[]> {
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
    .orderBy(asc(oidcRoleMappings.group_name), asc(roles.title), asc(oidcRoleMappings.id));
}

type NewMapping = { group: string; role_id: string; tenant_id: string | null; project_id: string | null };

export async function replaceRoleMappings(tx: Tx, mappings: readonly NewMapping[]): Promise<void> {
  await tx.delete(oidcRoleMappings).where(sql`true`);
  if (mappings.length === 0) return;
  await tx.insert(oidcRoleMappings).values(mappings.map(({ group, ...rest }) => ({ group_name: group, ...rest })));
}

/** Whether a group gives the role. */
export async function isRoleMapped(tx: Tx, roleId: string): Promise<boolean> {
  return (await tx.$count(oidcRoleMappings, eq(oidcRoleMappings.role_id, roleId))) > 0;
}
