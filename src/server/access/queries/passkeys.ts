import { and, asc, eq, gt, ne, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { systemSettings } from '../../db/schema/operations';
import { oidcSettings, passkeyChallenges, passkeys, signInChallenges } from '../../db/schema/sign-in';

export type PasskeyRow = typeof passkeys.$inferSelect;

/** The configured address of this installation: of links in notifications, else where the sign-in provider returns to. */
export async function findPublicUrl(executor: Executor): Promise<string | null> {
  const rows = await executor.execute<{ url: string | null }>(sql`
    select coalesce(
      (select ${systemSettings.value} ->> 'public_url' from ${systemSettings} where ${systemSettings.key} = 'notifications'),
      (select nullif(${oidcSettings.public_url}, '') from ${oidcSettings})) as url`);
  return rows[0]?.url ?? null;
}

/** A user's passkeys, oldest first. */
export async function listPasskeyRows(executor: Executor, userId: string): Promise<PasskeyRow[]> {
  return executor.select().from(passkeys).where(eq(passkeys.user_id, userId)).orderBy(asc(passkeys.id));
}

/** Stores a passkey. @returns null when the authenticator's credential is registered already */
export async function insertPasskey(tx: Tx, row: typeof passkeys.$inferInsert): Promise<PasskeyRow | null> {
  const [stored] = await tx
    .insert(passkeys)
    .values(row)
    .onConflictDoNothing({ target: passkeys.credential_id })
    .returning();
  return stored ?? null;
}

export async function isPasskeyNameTaken(
  tx: Tx,
  userId: string,
  name: string,
  except: string | null,
): Promise<boolean> {
  const same = sql`lower(${passkeys.name}) = lower(${name})`;
  const other = except === null ? undefined : ne(passkeys.id, except);
  return (await tx.$count(passkeys, and(eq(passkeys.user_id, userId), same, other))) > 0;
}

/** Renames a passkey of the user. @returns the row, or null when there is none */
export async function updatePasskeyName(tx: Tx, userId: string, id: string, name: string): Promise<PasskeyRow | null> {
  const [row] = await tx
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.user_id, userId), eq(passkeys.id, id)))
    .returning();
  return row ?? null;
}

/** Deletes a passkey of the user. @returns the row, or null when there was none */
export async function deletePasskey(tx: Tx, userId: string, id: string): Promise<PasskeyRow | null> {
  const [row] = await tx
    .delete(passkeys)
    .where(and(eq(passkeys.user_id, userId), eq(passkeys.id, id)))
    .returning();
  return row ?? null;
}

/** Notes a use: the counter of the signature, and whether the passkey is synchronized now. */
export async function recordPasskeyUse(
  tx: Tx,
  id: string,
  use: { counter: number; synced: boolean; last_used_at: string },
): Promise<void> {
  await tx.update(passkeys).set(use).where(eq(passkeys.id, id));
}

/** Stores a challenge in place of an earlier one for the same purpose of the same sign-in. */
export async function storePasskeyChallenge(
  executor: Executor,
  row: Omit<typeof passkeyChallenges.$inferInsert, 'id'>,
): Promise<void> {
  const { challenge, created_at, expires_at, user_id } = row;
  await executor
    .insert(passkeyChallenges)
    .values(row)
    .onConflictDoUpdate({
      target: [passkeyChallenges.family_id, passkeyChallenges.purpose],
      set: { challenge, created_at, expires_at, user_id },
    });
}

type Purpose = (typeof passkeyChallenges.$inferSelect)['purpose'];

/** Uses up the challenge of a sign-in. @returns null when there is none that is not over */
export async function consumePasskeyChallenge(
  tx: Tx,
  of: { user_id: string; family_id: string; purpose: Purpose },
  now: string,
): Promise<string | null> {
  const [row] = await tx
    .delete(passkeyChallenges)
    .where(
      and(
        eq(passkeyChallenges.user_id, of.user_id),
        eq(passkeyChallenges.family_id, of.family_id),
        eq(passkeyChallenges.purpose, of.purpose),
      ),
    )
    .returning();
  return row && Date.parse(row.expires_at) > Date.parse(now) ? row.challenge : null;
}

/** Sets what a passkey has to sign in a sign-in that waits for its second step; null uses it up. @returns false: it is over */
export async function setSignInPasskeyChallenge(
  tx: Tx,
  id: string,
  challenge: string | null,
  now: string,
): Promise<boolean> {
  const rows = await tx
    .update(signInChallenges)
    .set({ passkey_challenge: challenge })
    .where(and(eq(signInChallenges.id, id), gt(signInChallenges.expires_at, now)))
    .returning({ id: signInChallenges.id });
  return rows.length > 0;
}
