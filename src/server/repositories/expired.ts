import { and, inArray, lt, sql } from 'drizzle-orm';
import type { Executor } from '../db/client';
import { rateLimits, refreshTokens } from '../db/schema/access';
import { syncRuns } from '../db/schema/operations';

/** Deletes refresh tokens that ended before `cutoff`. @returns how many */
export async function deleteExpiredRefreshTokens(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(refreshTokens)
    .where(lt(refreshTokens.expires_at, cutoff))
    .returning({ id: refreshTokens.id });
  return rows.length;
}

/** Deletes counters whose window began before `cutoff`. @returns how many */
export async function deleteOldRateLimits(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(rateLimits)
    .where(lt(rateLimits.window_start, cutoff))
    .returning({ key: rateLimits.key });
  return rows.length;
}

/** Deletes finished runs from before `cutoff`, but never the newest `keep` of a cluster and kind. @returns how many */
export async function deleteOldSyncRuns(db: Executor, cutoff: string, keep: number): Promise<number> {
  const ranked = sql`(select id from (select id, row_number() over (partition by cluster_id, kind order by created_at desc, id desc) as rank from ${syncRuns}) as ranked where rank > ${keep})`;
  const rows = await db
    .delete(syncRuns)
    .where(and(lt(syncRuns.finished_at, cutoff), inArray(syncRuns.id, ranked)))
    .returning({ id: syncRuns.id });
  return rows.length;
}
