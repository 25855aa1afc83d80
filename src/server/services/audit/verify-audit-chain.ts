import { auditHash, GENESIS_HASH } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { lastAuditRecord, readAuditChain } from '../../repositories/audit';

/** A place in the chain that was noted down earlier: the trail must still hold exactly this record. */
export type AuditAnchor = { seq: number; hash: string };

export type AuditVerification = {
  checked: number;
  /** Note it down outside the database: it proves later that nothing up to here was cut off or written anew. */
  last: AuditAnchor | null;
  /** The first record that does not fit, and why. */
  broken: { seq: number; reason: 'missing' | 'previous_hash' | 'hash' | 'anchor' } | null;
};

const BATCH = 1000;

/** Computes the whole chain again, in batches, up to the record that was the newest at the start. */
export async function verifyAuditChain(
  _scope: Scope<'audit:read'>,
  anchor: AuditAnchor | null = null,
): Promise<AuditVerification> {
  const end = (await lastAuditRecord(db))?.seq ?? 0;
  const at: AuditAnchor = { seq: 0, hash: GENESIS_HASH };
  const verdict = (reason: NonNullable<AuditVerification['broken']>['reason'] | null): AuditVerification => ({
    checked: at.seq,
    last: at.seq > 0 ? { ...at } : null,
    broken: reason && { seq: at.seq + 1, reason },
  });
  while (at.seq < end) {
    const batch = await readAuditChain(at.seq, BATCH);
    if (batch.length === 0) return verdict('missing');
    for (const { previous_hash, hash, ...record } of batch) {
      if (record.seq !== at.seq + 1) return verdict('missing');
      if (previous_hash !== at.hash) return verdict('previous_hash');
      if (hash !== auditHash(previous_hash, record)) return verdict('hash');
      if (anchor?.seq === record.seq && anchor.hash !== hash) return verdict('anchor');
      Object.assign(at, { seq: record.seq, hash });
    }
  }
  return verdict(anchor && anchor.seq > at.seq ? 'missing' : null);
}
