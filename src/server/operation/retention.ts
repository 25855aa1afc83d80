import { DAY_MS, HOUR_MS } from '@/domain/durations';
import { deleteEndedProviderSessions } from '../access/queries/provider';
import { deleteOldSightings } from '../addresses/queries/sightings';
import { cutAuditTrail, findAuditCut, lastAuditCheckpoint } from '../audit/queries/audit';
import { recordAudit } from '../audit/record';
import { systemScope } from '../auth/scope';
import { db } from '../db/client';
import { deleteOldImpacts } from '../enforcement/queries/impacts';
import { deleteOldSuggestions } from '../enforcement/queries/suggestions';
import { deleteOldExports } from '../forwarding/queries/forwarding-exports';
import { pruneHistory } from '../history/history';
import { clock } from '../lib/clock';
import { logger } from '../lib/logger';
import { deleteExpiredSecrets } from '../notifications/queries/notification-channels';
import { storedSettings } from '../settings/settings';
import {
  deleteExpiredChallenges,
  deleteExpiredPasskeyChallenges,
  deleteExpiredRefreshTokens,
  deleteOldDeployments,
  deleteOldImports,
  deleteOldIncidents,
  deleteOldNotifications,
  deleteOldRateLimits,
  deleteOldSyncRuns,
} from './queries/expired';

/** The job runs hourly; a cut a day is enough, and every cut is a record. */
const PAUSE_MS = 23 * 3_600_000;
/** Records of one transaction. */
const BATCH = 20_000;

/** What the record of a cut holds; verifying the trail compares it with the checkpoint. */
export type AuditCut = { through_seq: number; through_hash: string; records: number; retention_days: number };

/**
 * Removes expired audit records, the oldest first and without gaps. A checkpoint stores the hash that the rest of the
 * trail continues, and a record in the trail itself records the cut: it cannot be cut silently. Records of the last 30
 * days cannot be removed at all; the database refuses.
 * @returns how many went
 */
export async function pruneAudit(batch = BATCH): Promise<number> {
  const { audit_retention_days: retention_days } = await storedSettings(db);
  if (retention_days === null) return 0;
  const now = clock.now().getTime();
  const last = await lastAuditCheckpoint(db);
  if (last && Math.abs(now - Date.parse(last.created_at)) < PAUSE_MS) return 0;
  const cutoff = new Date(now - retention_days * DAY_MS).toISOString();
  let removed = 0;
  for (;;) {
    const gone = await db.transaction(async (tx) => {
      const cut = await findAuditCut(tx, cutoff, batch);
      if (!cut) return 0;
      const { seq, hash, records } = cut;
      await cutAuditTrail(tx, { seq, hash, removed: records, created_at: clock.now().toISOString() });
      await recordAudit(tx, systemScope('audit:read', 'audit retention'), {
        action: 'audit.pruned',
        object_kind: 'audit_trail',
        after: { through_seq: seq, through_hash: hash, records, retention_days } satisfies AuditCut,
      });
      return records;
    });
    removed += gone;
    if (gone < batch) return removed;
  }
}

const SYNC_RUN_DAYS = 30;
const SYNC_RUNS_KEPT = 20;
const DEPLOYMENT_DAYS = 400;
const DEPLOYMENTS_KEPT = 20;
const IMPORT_DAYS = 90;
const NOTIFICATION_DAYS = 90;
const IMPACT_DAYS = 7;
const SUGGESTION_DAYS = 30;

/** A conversation can change as long as it is kept after it was sent, and then wait as long again until it is sent. */
async function findExportCutoff(): Promise<string> {
  const { flow_retention_hours } = await storedSettings(db);
  return new Date(clock.now().getTime() - 2 * flow_retention_hours * HOUR_MS).toISOString();
}

/**
 * Deletes what is no longer needed: refresh tokens a day after their end (until then their reuse is noticed and
 * explained), sign-ins that waited for a code, challenges for passkeys, rate-limit windows of yesterday, sync runs older than 30 days beyond
 * the newest 20 of a cluster, deployments older than 400 days beyond the newest 20 of a policy on a cluster, audit
 * records beyond what the settings keep, sightings of addresses and imported files of 90 days ago, notifications and closed incidents of
 * 90 days ago, former versions of rows that the settings no longer keep, impacts of 7 days ago that no apply acknowledged, suggestions
 * of 30 days ago, what was sent by IPFIX of conversations that are gone, and signing secrets whose time after a rotation is over.
 * @returns how many rows of each went
 */
export async function pruneExpired() {
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
  const removed = {
    refresh_tokens: await deleteExpiredRefreshTokens(db, ago(1)),
    provider_sessions: await deleteEndedProviderSessions(db, ago(1)),
    sign_in_challenges: await deleteExpiredChallenges(db, ago(1)),
    passkey_challenges: await deleteExpiredPasskeyChallenges(db, ago(1)),
    rate_limits: await deleteOldRateLimits(db, ago(1)),
    sync_runs: await deleteOldSyncRuns(db, ago(SYNC_RUN_DAYS), SYNC_RUNS_KEPT),
    deployments: await deleteOldDeployments(db, ago(DEPLOYMENT_DAYS), DEPLOYMENTS_KEPT),
    audit_records: await pruneAudit(),
    address_sightings: await deleteOldSightings(db, clock.now()),
    ipam_imports: await deleteOldImports(db, ago(IMPORT_DAYS)),
    impacts: await deleteOldImpacts(db, ago(IMPACT_DAYS)),
    suggestions: await deleteOldSuggestions(db, ago(SUGGESTION_DAYS)),
    history: await pruneHistory(),
    notifications: await deleteOldNotifications(db, ago(NOTIFICATION_DAYS)),
    forwarding_exports: await deleteOldExports(db, await findExportCutoff()),
    webhook_secrets: await deleteExpiredSecrets(db, clock.now().toISOString()),
    notification_incidents: await deleteOldIncidents(db, ago(NOTIFICATION_DAYS)),
  };
  logger.info(removed, 'expired rows deleted');
  return removed;
}
