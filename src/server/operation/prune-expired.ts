import { deleteEndedProviderSessions } from '../access/queries/provider-sessions';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { logger } from '../lib/logger';
import { forgetEndedSecrets } from '../notifications/queries/notification-channels';
import { pruneAudit } from './prune-audit';
import {
  deleteExpiredChallenges,
  deleteExpiredRefreshTokens,
  deleteOldDeployments,
  deleteOldImports,
  deleteOldIncidents,
  deleteOldNotifications,
  deleteOldRateLimits,
  deleteOldSyncRuns,
} from './queries/expired';

const DAY_MS = 86_400_000;
const SYNC_RUN_DAYS = 30;
const SYNC_RUNS_KEPT = 20;
const DEPLOYMENT_DAYS = 400;
const DEPLOYMENTS_KEPT = 20;
const IMPORT_DAYS = 90;
const NOTIFICATION_DAYS = 90;

/**
 * Deletes what nobody needs any more: refresh tokens a day after their end (until then their reuse is noticed and
 * explained), sign-ins that waited for a code, rate-limit windows of yesterday, sync runs older than 30 days beyond the
 * newest 20 of a cluster, deployments older than 400 days beyond the newest 20 of a policy on a cluster, audit records
 * beyond what the settings keep, files that were imported 90 days ago, notices and closed incidents of 90 days ago, and
 * signing secrets whose time after a rotation is over.
 * @returns how many rows of each went
 */
export async function pruneExpired() {
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
  const removed = {
    refresh_tokens: await deleteExpiredRefreshTokens(db, ago(1)),
    provider_sessions: await deleteEndedProviderSessions(db, ago(1)),
    sign_in_challenges: await deleteExpiredChallenges(db, ago(1)),
    rate_limits: await deleteOldRateLimits(db, ago(1)),
    sync_runs: await deleteOldSyncRuns(db, ago(SYNC_RUN_DAYS), SYNC_RUNS_KEPT),
    deployments: await deleteOldDeployments(db, ago(DEPLOYMENT_DAYS), DEPLOYMENTS_KEPT),
    audit_records: await pruneAudit(),
    ipam_imports: await deleteOldImports(db, ago(IMPORT_DAYS)),
    notifications: await deleteOldNotifications(db, ago(NOTIFICATION_DAYS)),
    webhook_secrets: await forgetEndedSecrets(db, clock.now().toISOString()),
    notification_incidents: await deleteOldIncidents(db, ago(NOTIFICATION_DAYS)),
  };
  logger.info(removed, 'expired rows deleted');
  return removed;
}
