import { and, desc, eq, gt, isNull, min, sql } from 'drizzle-orm';
import { AccountSession } from '@/domain/account';
import type { SecondFactorKind } from '@/domain/second-factor';
import type { Executor, Tx } from '../../db/client';
import { selectColumns } from '../../db/declared-fields';
import { refreshTokens } from '../../db/schema/sign-in';
import { deleteProviderSession, type ProviderSessionRow } from './provider';

export type RefreshToken = typeof refreshTokens.$inferSelect;

export async function insertRefreshToken(tx: Tx, token: typeof refreshTokens.$inferInsert): Promise<void> {
  await tx.insert(refreshTokens).values(token);
}

/**
 * Makes this transaction the only one that works on the family until it ends: of simultaneous uses of one token the second
 * sees the first's work, and a sign-out cannot miss a token that is just being made.
 */
export async function lockFamily(tx: Tx, familyId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`refresh-family:${familyId}`}, 0))`);
}

export async function findRefreshToken(tx: Tx, tokenHash: string): Promise<RefreshToken | null> {
  const [row] = await tx.select().from(refreshTokens).where(eq(refreshTokens.token_hash, tokenHash));
  return row ?? null;
}

export async function markRotated(tx: Tx, id: string, at: string): Promise<void> {
  await tx.update(refreshTokens).set({ rotated_at: at }).where(eq(refreshTokens.id, id));
}

/** The token of the family that was handed out last. */
export async function findNewestFamilyToken(
  tx: Tx,
  familyId: string,
): Promise<Pick<RefreshToken, 'source_address' | 'user_agent'> | null> {
  const [row] = await tx
    .select({ source_address: refreshTokens.source_address, user_agent: refreshTokens.user_agent })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.family_id, familyId), isNull(refreshTokens.rotated_at)))
    .orderBy(desc(refreshTokens.id))
    .limit(1);
  return row ?? null;
}

type EndedFamily = Pick<RefreshToken, 'user_id' | 'method'> & { provider_session: ProviderSessionRow | null };

/**
 * Ends one sign-in; call `lockFamily` before. Its access tokens stop working immediately, and its stored provider
 * session is deleted. Returns whose sign-in it was, null when it had ended already.
 */
export async function revokeFamily(
  tx: Tx,
  familyId: string,
  at: string,
  reuse_detected = false,
): Promise<EndedFamily | null> {
  const provider_session = await deleteProviderSession(tx, familyId);
  const rows = await tx
    .update(refreshTokens)
    .set({ revoked_at: at, reuse_detected })
    .where(and(eq(refreshTokens.family_id, familyId), isNull(refreshTokens.revoked_at)))
    .returning({ user_id: refreshTokens.user_id, method: refreshTokens.method });
  return rows[0] ? { ...rows[0], provider_session } : null;
}

/** The sign-ins of a user that are not over. */
export async function listOpenFamilies(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ family_id: refreshTokens.family_id })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.user_id, userId), isNull(refreshTokens.revoked_at)));
  return rows.map((row) => row.family_id).sort();
}

/** Sign-ins of a user that are neither over nor expired, the one used last first. One row per sign-in. */
export async function listOpenSessions(executor: Executor, userId: string, now: string) {
  const newest = executor
    .selectDistinctOn(
      [refreshTokens.family_id],
      selectColumns(AccountSession.omit({ current: true }), refreshTokens, {
        id: refreshTokens.family_id,
        signed_in_at: refreshTokens.begun_at,
        last_used_at: refreshTokens.created_at,
      }),
    )
    .from(refreshTokens)
    .where(and(eq(refreshTokens.user_id, userId), isNull(refreshTokens.revoked_at), gt(refreshTokens.expires_at, now)))
    .orderBy(refreshTokens.family_id, desc(refreshTokens.id))
    .as('newest');
  return executor.select().from(newest).orderBy(desc(newest.last_used_at), newest.id);
}

/** Whether the family is a sign-in of the user that is not over. */
export async function hasOpenFamily(tx: Tx, userId: string, familyId: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: refreshTokens.id })
    .from(refreshTokens)
    .where(
      and(eq(refreshTokens.family_id, familyId), eq(refreshTokens.user_id, userId), isNull(refreshTokens.revoked_at)),
    )
    .limit(1);
  return row !== undefined;
}

/** Whether a user signed in from this network as long as tokens of it are kept, ended sign-ins included. */
export async function hasSignedInFrom(executor: Executor, userId: string, network: string): Promise<boolean> {
  if (!network.includes('/')) return false;
  const [row] = await executor
    .select({ id: refreshTokens.id })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.user_id, userId), sql`${refreshTokens.source_address} <<= ${network}::inet`))
    .limit(1);
  return row !== undefined;
}

/** When a sign-in of the user began; null when there is none that is not over. */
export async function findFamilyStart(executor: Executor, userId: string, familyId: string): Promise<string | null> {
  const [row] = await executor
    .select({ at: min(refreshTokens.begun_at) })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.family_id, familyId), eq(refreshTokens.user_id, userId)));
  return row?.at ?? null;
}

/** Notes that a second factor was proved in a sign-in. */
export async function setFamilySecondFactor(tx: Tx, familyId: string, kind: SecondFactorKind): Promise<void> {
  await lockFamily(tx, familyId);
  await tx.update(refreshTokens).set({ second_factor: kind }).where(eq(refreshTokens.family_id, familyId));
}
