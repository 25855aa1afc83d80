import { and, inArray, lt, not, sql } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { ipamImports } from '../../db/schema/ipam';
import { notificationIncidents, notifications } from '../../db/schema/notifications';
import { syncRuns } from '../../db/schema/operations';
import { deployments } from '../../db/schema/policies';
import { passkeyChallenges, rateLimits, refreshTokens, signInChallenges } from '../../db/schema/sign-in';
import { hasOpenIncident } from '../../notifications/queries/notification-rules';

/** Deletes refresh tokens that ended before `cutoff`. @returns how many */
export async function deleteExpiredRefreshTokens(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(refreshTokens)
    .where(lt(refreshTokens.expires_at, cutoff))
    .returning({ id: refreshTokens.id });
  return rows.length;
}

/** Deletes first steps of sign-ins that ended before `cutoff`. @returns how many */
export async function deleteExpiredChallenges(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(signInChallenges)
    .where(lt(signInChallenges.expires_at, cutoff))
    .returning({ id: signInChallenges.id });
  return rows.length;
}

/** Deletes challenges for passkeys that ended before `cutoff`. @returns how many */
export async function deleteExpiredPasskeyChallenges(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(passkeyChallenges)
    .where(lt(passkeyChallenges.expires_at, cutoff))
    .returning({ id: passkeyChallenges.id });
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

/**
 * Deletes finished deployments from before `cutoff` with the results of their guests, but never the newest `keep` of a
 * policy on a cluster. @returns how many
 */
export async function deleteOldDeployments(db: Executor, cutoff: string, keep: number): Promise<number> {
  const ranked = sql`(select id from (select id, row_number() over (partition by policy_id, cluster_id, kind = 'removal' order by created_at desc, id desc) as rank from ${deployments}) as ranked where rank > ${keep})`;
  const rows = await db
    .delete(deployments)
    .where(and(lt(deployments.finished_at, cutoff), inArray(deployments.id, ranked)))
    .returning({ id: deployments.id });
  return rows.length;
}

/** Deletes imports that ended before `cutoff`; what they stored stays. @returns how many */
export async function deleteOldImports(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(ipamImports)
    .where(lt(ipamImports.finished_at, cutoff))
    .returning({ id: ipamImports.id });
  return rows.length;
}

/** Deletes notices from before `cutoff` with their deliveries, but of those whose end is to come. @returns how many */
export async function deleteOldNotifications(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(notifications)
    .where(and(lt(notifications.created_at, cutoff), not(hasOpenIncident)))
    .returning({ id: notifications.id });
  return rows.length;
}

/** Deletes incidents that closed before `cutoff`. @returns how many */
export async function deleteOldIncidents(db: Executor, cutoff: string): Promise<number> {
  const rows = await db
    .delete(notificationIncidents)
    .where(lt(notificationIncidents.closed_at, cutoff))
    .returning({ id: notificationIncidents.id });
  return rows.length;
}
