import { and, count, eq, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { users } from '../../db/schema/access';
import { passkeys, recoveryCodes, secondFactors, signInChallenges } from '../../db/schema/sign-in';

export type SecondFactorRow = typeof secondFactors.$inferSelect;
export type Challenge = typeof signInChallenges.$inferSelect;

/** Since when a user has a second factor: the older of the authenticator app and the first passkey; null without one. */
export const secondFactorSince: SQL<string | null> = sql<string | null>`least(
  (select ${secondFactors.confirmed_at} from ${secondFactors} where ${eq(secondFactors.user_id, users.id)}),
  (select min(${passkeys.created_at}) from ${passkeys} where ${eq(passkeys.user_id, users.id)}))`.mapWith(
  secondFactors.confirmed_at,
);

/** Whether a user has a second factor: an authenticator app that is set up, or a passkey. */
export const hasSecondFactor: SQL<boolean> = sql<boolean>`(exists (select 1 from ${secondFactors}
    where ${eq(secondFactors.user_id, users.id)} and ${secondFactors.confirmed_at} is not null)
  or exists (select 1 from ${passkeys} where ${eq(passkeys.user_id, users.id)}))`;

/** Whether a user has a second factor. */
export async function isSecondFactorSet(executor: Executor, userId: string): Promise<boolean> {
  const [row] = await executor.select({ set: hasSecondFactor }).from(users).where(eq(users.id, userId));
  return row?.set ?? false;
}

/** The user's authenticator app, being set up or confirmed. */
export async function findSecondFactor(executor: Executor, userId: string): Promise<SecondFactorRow | null> {
  const [row] = await executor.select().from(secondFactors).where(eq(secondFactors.user_id, userId));
  return row ?? null;
}

type Pending = Pick<SecondFactorRow, 'user_id' | 'secret_encrypted' | 'secret_key_id' | 'created_at'>;

/** Stores a secret that waits for its first code, in place of one that waited before. @returns false: one is confirmed */
export async function storePendingFactor(tx: Tx, row: Pending): Promise<boolean> {
  const { user_id: _, ...changes } = row;
  const rows = await tx
    .insert(secondFactors)
    .values(row)
    .onConflictDoUpdate({
      target: secondFactors.user_id,
      set: { ...changes, last_step: null },
      setWhere: isNull(secondFactors.confirmed_at),
    })
    .returning({ user_id: secondFactors.user_id });
  return rows.length > 0;
}

/** Uses up a time step, and confirms the factor with `confirmedAt`. @returns false: it was used up already */
export async function consumeTimeStep(tx: Tx, userId: string, step: number, confirmedAt?: string): Promise<boolean> {
  const rows = await tx
    .update(secondFactors)
    .set({ last_step: step, ...(confirmedAt !== undefined && { confirmed_at: confirmedAt }) })
    .where(
      and(
        eq(secondFactors.user_id, userId),
        confirmedAt === undefined ? isNotNull(secondFactors.confirmed_at) : isNull(secondFactors.confirmed_at),
        or(isNull(secondFactors.last_step), lt(secondFactors.last_step, step)),
      ),
    )
    .returning({ user_id: secondFactors.user_id });
  return rows.length > 0;
}

/** Removes the authenticator app. @returns whether there was a confirmed one */
export async function deleteApp(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx
    .delete(secondFactors)
    .where(eq(secondFactors.user_id, userId))
    .returning({ confirmed_at: secondFactors.confirmed_at });
  return rows.some((row) => row.confirmed_at !== null);
}

/** Removes the authenticator app, all passkeys and the recovery codes. @returns whether there was a second factor */
export async function deleteSecondFactor(tx: Tx, userId: string): Promise<boolean> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.user_id, userId));
  const keys = await tx.delete(passkeys).where(eq(passkeys.user_id, userId)).returning({ id: passkeys.id });
  return (await deleteApp(tx, userId)) || keys.length > 0;
}

/** Puts new recovery codes in place of all earlier ones. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.user_id, userId));
  await tx.insert(recoveryCodes).values(hashes.map((code_hash) => ({ user_id: userId, code_hash })));
}

/** Uses up a recovery code. @returns false: there is none like it that is left */
export async function consumeRecoveryCode(tx: Tx, userId: string, codeHash: string, at: string): Promise<boolean> {
  const rows = await tx
    .update(recoveryCodes)
    .set({ used_at: at })
    .where(and(eq(recoveryCodes.user_id, userId), eq(recoveryCodes.code_hash, codeHash), isNull(recoveryCodes.used_at)))
    .returning({ id: recoveryCodes.id });
  return rows.length > 0;
}

export async function countRecoveryCodes(executor: Executor, userId: string): Promise<number> {
  const [row] = await executor
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.user_id, userId), isNull(recoveryCodes.used_at)));
  return row?.left ?? 0;
}

export async function insertChallenge(tx: Tx, row: typeof signInChallenges.$inferInsert): Promise<void> {
  await tx.insert(signInChallenges).values(row);
}

/** The first step that belongs to a token and is not over. */
export async function findChallenge(executor: Executor, tokenHash: string, now: string): Promise<Challenge | null> {
  const [row] = await executor
    .select()
    .from(signInChallenges)
    .where(and(eq(signInChallenges.token_hash, tokenHash), sql`${signInChallenges.expires_at} > ${now}`));
  return row ?? null;
}

/** Deletes a first step: it is used up. @returns false when a concurrent request was faster */
export async function deleteChallenge(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx
    .delete(signInChallenges)
    .where(eq(signInChallenges.id, id))
    .returning({ id: signInChallenges.id });
  return rows.length > 0;
}

/** Ends all sign-ins of a user that wait for a code. */
export async function deleteUserChallenges(tx: Tx, userId: string): Promise<void> {
  await tx.delete(signInChallenges).where(eq(signInChallenges.user_id, userId));
}
