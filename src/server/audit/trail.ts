import type { AuditListInput, AuditRecord } from '@/domain/audit';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { AppError } from '../lib/errors';
import { processState } from '../lib/process-state';
import { notFound } from '../lib/refusals';
import {
  type AuditCheckpoint,
  findAuditRecord,
  lastAuditCheckpoint,
  lastAuditRecord,
  listAuditRecords,
  readAuditChain,
  type StoredAuditRecord,
} from './queries/audit';
import { auditHash, GENESIS_HASH } from './record';

/** One page of an export of the trail: like the list, but without counting all records for each page. */
export function exportAudit(
  scope: Scope<'audit:read'>,
  input: AuditListInput,
): Promise<Pick<Page<AuditRecord>, 'items' | 'next_cursor'>> {
  return listAuditRecords(scope.tenants, input, false);
}

/** One record of the audit trail. @throws AppError `not_found`, also for one of another tenant */
export async function readAuditRecord(scope: Scope<'audit:read'>, id: string): Promise<AuditRecord> {
  const record = await findAuditRecord(scope.tenants, id);
  if (!record) throw notFound('audit record');
  return record;
}

/** A place in the chain that was noted down earlier: the trail must still hold exactly this record. */
export type AuditAnchor = { seq: number; hash: string };

export type AuditVerification = {
  /** Records that were read and computed again. */
  checked: number;
  /** The last record that was removed because its time was up, and when; null while the trail is whole. */
  pruned: { seq: number; at: string } | null;
  /** Whether the anchor was found, or its record removed because its time was up; null without one. */
  anchor: 'found' | 'pruned' | null;
  /** Store it outside the database: it proves later that nothing up to here was cut off or rewritten. */
  last: AuditAnchor | null;
  /** The first record that does not fit, and why. */
  broken: { seq: number; reason: 'missing' | 'previous_hash' | 'hash' | 'anchor' | 'checkpoint' } | null;
};

const BATCH = 1000;

const isCutRecord = ({ action, after }: StoredAuditRecord, { seq, hash }: AuditCheckpoint): boolean =>
  action === 'audit.pruned' && after?.through_seq === seq && after.through_hash === hash;

/**
 * Recomputes the whole chain, in batches, up to the record that was the newest at the start. A trail that was cut
 * begins after its last checkpoint, and must hold a record of this cut. All batches are of one state: a cut that is made in between must not
 * pass for missing records.
 */
export function verifyAuditChain(
  _scope: Scope<'audit:read'>,
  anchor: AuditAnchor | null = null,
): Promise<AuditVerification> {
  return db.transaction((tx) => verifyState(tx, anchor), {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  });
}

async function verifyState(tx: Tx, anchor: AuditAnchor | null): Promise<AuditVerification> {
  const [last, cut] = [await lastAuditRecord(tx), await lastAuditCheckpoint(tx)];
  const end = last?.seq ?? 0;
  const start = cut?.seq ?? 0;
  const at: AuditAnchor = { seq: start, hash: cut?.hash ?? GENESIS_HASH };
  let cutReported = cut === null;
  const getAnchorStatus = (): AuditVerification['anchor'] => {
    if (!anchor) return null;
    return anchor.seq > start || (anchor.seq === start && anchor.hash === cut?.hash) ? 'found' : 'pruned';
  };
  const verdict = (
    reason: NonNullable<AuditVerification['broken']>['reason'] | null,
    seq = at.seq + 1,
  ): AuditVerification => ({
    checked: at.seq - start,
    pruned: cut && { seq: cut.seq, at: cut.created_at },
    anchor: reason ? null : getAnchorStatus(),
    last: at.seq > start ? { ...at } : null,
    broken: reason && { seq, reason },
  });
  while (at.seq < end) {
    const batch = await readAuditChain(tx, at.seq, BATCH);
    if (batch.length === 0) return verdict('missing');
    for (const stored of batch) {
      const { previous_hash, hash, ...record } = stored;
      if (record.seq !== at.seq + 1) return verdict('missing');
      if (previous_hash !== at.hash) return verdict('previous_hash');
      if (hash !== auditHash(previous_hash, record)) return verdict('hash');
      if (anchor?.seq === record.seq && anchor.hash !== hash) return verdict('anchor');
      if (cut && isCutRecord(stored, cut)) cutReported = true;
      Object.assign(at, { seq: record.seq, hash });
    }
  }
  if (anchor && anchor.seq > at.seq) return verdict('missing');
  return cutReported ? verdict(null) : verdict('checkpoint', start);
}

const state = processState<{ running: Promise<AuditVerification> | null }>(() => ({ running: null }));

/**
 * Verifies the trail for a user's request from a page. It reads every record, so concurrent requests share one
 * verification.
 * @throws AppError `refused` for readers of some tenants only: the chain runs through the records of all
 */
export async function verifyAuditTrail(scope: Scope<'audit:read'>): Promise<AuditVerification> {
  if (scope.tenants !== 'all') {
    throw new AppError(
      'refused',
      'The hash chain covers the records of all tenants. Ask a user who may read all records.',
    );
  }
  state.running ??= verifyAuditChain(scope).finally(() => {
    state.running = null;
  });
  return state.running;
}
