import { and, eq, or, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { users } from '../../db/schema/access';
import { apiTokens, ldapSettings, refreshTokens, userIdentities } from '../../db/schema/sign-in';

export type LdapSettingsRow = typeof ldapSettings.$inferSelect;

/** The key of the only row; also what its secret is bound to, and the issuer of identities. */
export const LDAP_ID = 'ldap';

/** What is stored of the directory, or null. */
export async function findLdapSettings(executor: Executor): Promise<LdapSettingsRow | null> {
  const [row] = await executor.select().from(ldapSettings).where(eq(ldapSettings.id, LDAP_ID));
  return row ?? null;
}

/** Makes this transaction the only one that changes the directory, until it ends. */
export async function lockLdapSettings(tx: Tx): Promise<LdapSettingsRow | null> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('directory', 0))`);
  return findLdapSettings(tx);
}

/** Stores the directory in place of what there was. */
export async function storeLdapSettings(tx: Tx, row: Omit<typeof ldapSettings.$inferInsert, 'id'>): Promise<void> {
  await tx
    .insert(ldapSettings)
    .values({ ...row, id: LDAP_ID })
    .onConflictDoUpdate({ target: ldapSettings.id, set: row });
}

/** Whether the account belongs to the directory, which alone has its password. */
export async function isDirectoryAccount(executor: Executor, userId: string): Promise<boolean> {
  const here = and(eq(userIdentities.user_id, userId), eq(userIdentities.issuer, LDAP_ID));
  return (await executor.$count(userIdentities, here)) > 0;
}

/** By what the directory knows a user: the ID, and the name that was last entered at sign-in. */
export async function listDirectoryNames(
  executor: Executor,
  userId: string,
): Promise<{ subject: string; sign_in_name: string | null }[]> {
  return executor
    .select({ subject: userIdentities.subject, sign_in_name: userIdentities.sign_in_name })
    .from(userIdentities)
    .where(and(eq(userIdentities.user_id, userId), eq(userIdentities.issuer, LDAP_ID)));
}

export type DirectoryAccount = { user_id: string; subject: string; sign_in_name: string | null };

/** Active users of the directory who are signed in, or have API tokens that work. */
export async function listAccountsWithAccess(executor: Executor, now: string): Promise<DirectoryAccount[]> {
  const open = sql`exists (select 1 from ${refreshTokens} where ${eq(refreshTokens.user_id, users.id)}
    and ${refreshTokens.revoked_at} is null and ${refreshTokens.expires_at} > ${now})`;
  const programs = sql`exists (select 1 from ${apiTokens} where ${eq(apiTokens.user_id, users.id)}
    and ${apiTokens.suspended_at} is null and ${apiTokens.expires_at} > ${now})`;
  return executor
    .select({ user_id: users.id, subject: userIdentities.subject, sign_in_name: userIdentities.sign_in_name })
    .from(userIdentities)
    .innerJoin(users, eq(users.id, userIdentities.user_id))
    .where(and(eq(userIdentities.issuer, LDAP_ID), eq(users.active, true), or(open, programs)));
}
