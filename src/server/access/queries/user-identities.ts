import { and, asc, eq, sql } from 'drizzle-orm';
import type { UserIdentity } from '@/domain/sign-in-provider';
import type { Executor, Tx } from '../../db/client';
import { userIdentities } from '../../db/schema/access';

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
    .select({
      id: userIdentities.id,
      issuer: userIdentities.issuer,
      subject: userIdentities.subject,
      email: userIdentities.email,
      created_at: userIdentities.created_at,
      last_used_at: userIdentities.last_used_at,
    })
    .from(userIdentities)
    .where(eq(userIdentities.user_id, userId))
    .orderBy(asc(userIdentities.id));
}

export async function insertIdentity(tx: Tx, row: typeof userIdentities.$inferInsert): Promise<void> {
  await tx.insert(userIdentities).values(row);
}

export async function noteIdentityUse(tx: Tx, id: string, email: string | null, at: string): Promise<void> {
  await tx.update(userIdentities).set({ email, last_used_at: at }).where(eq(userIdentities.id, id));
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
