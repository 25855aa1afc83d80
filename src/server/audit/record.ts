import { createHash } from 'node:crypto';
import type { Labeled } from '@/domain/audit-fields';
import { formatIp, parseIp } from '@/domain/net/ip-address';
import type { Actor, Origin } from '../auth/scope';
import type { Tx } from '../db/client';
import { clock } from '../lib/clock';
import { newId } from '../lib/ids';
import { auditState, canonicalJson, storableText } from './canonical';
import { insertAuditRecord, lockAuditChain, type StoredAuditRecord } from './queries/audit';

export type AuditEntry<B = unknown, A = unknown> = {
  /** `cluster.created`, `policy.updated`, `auth.login_failed` … */
  action: `${string}.${string}`;
  object_kind: string;
  object_id?: string | null;
  object_name?: string | null;
  /** The tenant whose administrators may read the record; null for platform matters. */
  tenant_id?: string | null;
  before?: B;
  after?: A;
};

export const GENESIS_HASH = '0'.repeat(64);

const canonicalAddress = (text: string | null): string | null => {
  const ip = parseIp(text ?? '');
  return ip && formatIp(ip);
};

/** The hash of a record: SHA-256 over the previous hash and the canonical JSON of everything else in it. */
export function auditHash(previous: string, record: Omit<StoredAuditRecord, 'previous_hash' | 'hash'>): string {
  // PostgreSQL writes some IPv6 addresses in another way than we do; both mean the same.
  const canonical = canonicalJson({ ...record, source_address: canonicalAddress(record.source_address) });
  return createHash('sha256').update(previous).update('\n').update(canonical).digest('hex');
}

const text = (value: string | null | undefined): string | null =>
  value === null || value === undefined ? null : storableText(value);

/**
 * Writes the audit record of a change inside the change's own transaction, secrets redacted, chained to the record before.
 * Call it last: from here to the commit other writers wait for the chain.
 */
export async function recordAudit<B, A>(
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  entry: AuditEntry<B, A> & Labeled<B> & Labeled<A>,
): Promise<void> {
  const last = await lockAuditChain(tx);
  const previous = last?.hash ?? GENESIS_HASH;
  const record = {
    seq: (last?.seq ?? 0) + 1,
    id: newId(),
    at: clock.now().toISOString(),
    actor_kind: scope.actor.kind,
    actor_id: scope.actor.id,
    actor_name: storableText(scope.actor.name),
    tenant_id: entry.tenant_id ?? null,
    action: entry.action,
    object_kind: entry.object_kind,
    object_id: text(entry.object_id),
    object_name: text(entry.object_name),
    before: auditState(entry.before),
    after: auditState(entry.after),
    request_id: text(scope.origin?.request_id),
    source_address: canonicalAddress(scope.origin?.source_address ?? null),
  };
  await insertAuditRecord(tx, { ...record, previous_hash: previous, hash: auditHash(previous, record) });
}
