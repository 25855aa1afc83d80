import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { logger } from '../../lib/logger';
import { deleteExpiredRefreshTokens, deleteOldRateLimits, deleteOldSyncRuns } from '../../repositories/expired';

const DAY_MS = 86_400_000;
const SYNC_RUN_DAYS = 30;
const SYNC_RUNS_KEPT = 20;

/**
 * Deletes what nobody needs any more: refresh tokens a day after their end (until then their reuse is noticed and
 * explained), rate-limit windows of yesterday, and sync runs older than 30 days beyond the newest 20 of a cluster.
 * @returns how many rows of each went
 */
export async function pruneExpired(): Promise<{ refresh_tokens: number; rate_limits: number; sync_runs: number }> {
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
  const removed = {
    refresh_tokens: await deleteExpiredRefreshTokens(db, ago(1)),
    rate_limits: await deleteOldRateLimits(db, ago(1)),
    sync_runs: await deleteOldSyncRuns(db, ago(SYNC_RUN_DAYS), SYNC_RUNS_KEPT),
  };
  logger.info(removed, 'expired rows deleted');
  return removed;
}
