import { and, asc, eq, gt, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { ApiToken } from '@/domain/account';
import type { ActingToken } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { selectColumns } from '../../db/declared-fields';
import { tenants, users } from '../../db/schema/access';
import { apiTokens } from '../../db/schema/sign-in';
import { findUserWithRoles, type UserWithRoles } from './users';

export type ApiTokenRow = typeof apiTokens.$inferSelect;

/** The token of this hash that is neither expired nor suspended, and its owner with the roles held now; null when the owner is not active. */
export async function findApiTokenOwner(
  tokenHash: string,
  now: string,
): Promise<{ owner: UserWithRoles; api_token: ActingToken } | null> {
  const [found] = await db
    .select({
      id: apiTokens.id,
      user_id: apiTokens.user_id,
      name: apiTokens.name,
      permissions: apiTokens.permissions,
      tenant_id: apiTokens.tenant_id,
    })
    .from(apiTokens)
    .where(and(eq(apiTokens.token_hash, tokenHash), gt(apiTokens.expires_at, now), isNull(apiTokens.suspended_at)));
  if (!found) return null;
  const { user_id, ...api_token } = found;
  const owner = await findUserWithRoles(db, user_id, now);
  return owner && { owner, api_token };
}

/** Notes that a token was used, at most once a minute: a busy program must not make a write of every read. */
export async function recordApiTokenUse(id: string, use: { at: string; address: string | null }): Promise<void> {
  await db
    .update(apiTokens)
    .set({ last_used_at: use.at, last_used_address: use.address })
    .where(
      and(
        eq(apiTokens.id, id),
        or(
          isNull(apiTokens.last_used_at),
          lt(apiTokens.last_used_at, sql`${use.at}::timestamptz - interval '1 minute'`),
        ),
      ),
    );
}

/** All tokens of a user, expired ones too, by name. */
export async function listApiTokens(executor: Executor, userId: string) {
  return executor
    .select(selectColumns(ApiToken.omit({ expired: true }), apiTokens, { tenant_name: tenants.name }))
    .from(apiTokens)
    .leftJoin(tenants, eq(tenants.id, apiTokens.tenant_id))
    .where(eq(apiTokens.user_id, userId))
    .orderBy(asc(sql`lower(${apiTokens.name})`), asc(apiTokens.id));
}

/** Locks the owner, so that the number of tokens counted stays true until this transaction ends. */
export async function lockTokenOwner(tx: Tx, userId: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
}

export async function insertApiToken(tx: Tx, token: typeof apiTokens.$inferInsert): Promise<void> {
  await tx.insert(apiTokens).values(token);
}

/** @returns the token that is gone, null when the user has no such token */
export async function deleteApiToken(tx: Tx, userId: string, id: string): Promise<ApiTokenRow | null> {
  const [row] = await tx
    .delete(apiTokens)
    .where(and(eq(apiTokens.id, id), eq(apiTokens.user_id, userId)))
    .returning();
  return row ?? null;
}

/** Suspends every token of a user that is not suspended yet. @returns how many */
export async function suspendUserApiTokens(tx: Tx, userId: string, at: string): Promise<number> {
  const rows = await tx
    .update(apiTokens)
    .set({ suspended_at: at })
    .where(and(eq(apiTokens.user_id, userId), isNull(apiTokens.suspended_at)))
    .returning({ id: apiTokens.id });
  return rows.length;
}

/** Lets a suspended token act again. @returns the token as it is now, null when the user has no suspended token of this id */
export async function reactivateApiToken(tx: Tx, userId: string, id: string): Promise<ApiTokenRow | null> {
  const [row] = await tx
    .update(apiTokens)
    .set({ suspended_at: null })
    .where(and(eq(apiTokens.id, id), eq(apiTokens.user_id, userId), isNotNull(apiTokens.suspended_at)))
    .returning();
  return row ?? null;
}

/** @returns how many tokens of the user are gone */
export async function deleteUserApiTokens(tx: Tx, userId: string): Promise<number> {
  const rows = await tx.delete(apiTokens).where(eq(apiTokens.user_id, userId)).returning({ id: apiTokens.id });
  return rows.length;
}
