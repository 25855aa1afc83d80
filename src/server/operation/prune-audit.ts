import { cutAuditTrail, findAuditCut, lastAuditCheckpoint } from '../audit/queries/audit';
import { recordAudit } from '../audit/record';
import { systemScope } from '../auth/scope';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { storedSettings } from '../settings/stored-settings';

const DAY_MS = 86_400_000;
/** The job runs hourly; a cut a day is enough, and every cut is a record. */
const PAUSE_MS = 23 * 3_600_000;
/** Records of one transaction. */
const BATCH = 20_000;

/** What the record of a cut holds; verifying the trail compares it with the checkpoint. */
export type AuditCut = { through_seq: number; through_hash: string; records: number; retention_days: number };

/**
 * Removes audit records whose time is up, the oldest first and without gaps. A checkpoint notes the hash that the rest of
 * the trail continues, and a record in the trail itself says so: nobody can cut it silently. Records of the last 30 days
 * cannot be removed at all; the database refuses.
 * @returns how many went
 */
export async function pruneAudit(batch = BATCH): Promise<number> {
  const { audit_retention_days: retention_days } = await storedSettings(db);
  if (retention_days === null) return 0;
  const now = clock.now().getTime();
  const last = await lastAuditCheckpoint(db);
  if (last && now - Date.parse(last.created_at) < PAUSE_MS) return 0;
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
