import { and, eq, lt, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { providerSessions, refreshTokens } from '../../db/schema/access';

export type ProviderSessionRow = typeof providerSessions.$inferSelect;

/** Keeps what signing out at the provider will take. */
export async function insertProviderSession(tx: Tx, row: typeof providerSessions.$inferInsert): Promise<void> {
  await tx.insert(providerSessions).values(row);
}

/** Forgets what was kept of a sign-in, and answers it. */
export async function takeProviderSession(tx: Tx, familyId: string): Promise<ProviderSessionRow | null> {
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
