import { createHash } from 'node:crypto';
import type { Actor, Origin } from '../auth/scope';
import type { Tx } from '../db/client';
import { clock } from '../lib/clock';
import { newId } from '../lib/ids';
import { insertAuditRecord, lockAuditChain } from '../repositories/audit';
import { canonicalJson, redact } from './canonical';

export type AuditEntry = {
  /** `cluster.created`, `policy.updated`, `auth.login_failed` … */
  action: `${string}.${string}`;
  object_kind: string;
  object_id?: string | null;
  object_name?: string | null;
  /** The tenant whose administrators may read the record; null for platform matters. */
  tenant_id?: string | null;
  before?: unknown;
  after?: unknown;
};

export const GENESIS_HASH = '0'.repeat(64);

/** The hash of a record: SHA-256 over the previous hash and the canonical JSON of everything else in it. */
export function auditHash(previous: string, record: Record<string, unknown>): string {
  return createHash('sha256').update(previous).update('\n').update(canonicalJson(record)).digest('hex');
}

/**
 * Writes the audit record of a change inside the change's own transaction, secrets redacted, chained to the record before.
 * Call it last: from here to the commit other writers wait for the chain.
 */
export async function recordAudit(
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  entry: AuditEntry,
): Promise<void> {
  const last = await lockAuditChain(tx);
  const previous = last?.hash ?? GENESIS_HASH;
  const record = {
    seq: (last?.seq ?? 0) + 1,
    id: newId(),
    at: clock.now().toISOString(),
    actor_kind: scope.actor.kind,
    actor_id: scope.actor.id,
    actor_name: scope.actor.name,
    tenant_id: entry.tenant_id ?? null,
    action: entry.action,
    object_kind: entry.object_kind,
    object_id: entry.object_id ?? null,
    object_name: entry.object_name ?? null,
    before: entry.before === undefined ? null : JSON.parse(canonicalJson(redact(entry.before))),
    after: entry.after === undefined ? null : JSON.parse(canonicalJson(redact(entry.after))),
    request_id: scope.origin?.request_id ?? null,
    source_address: scope.origin?.source_address ?? null,
  };
  await insertAuditRecord(tx, { ...record, previous_hash: previous, hash: auditHash(previous, record) });
}
