import { desc, sql } from 'drizzle-orm';
import type { Tx } from '../db/client';
import { auditRecords } from '../db/schema/operations';

// An arbitrary constant that names the chain among the database's advisory locks.
const CHAIN_LOCK = 0x0fab_a0d1;

/** Makes this transaction the only writer of the chain until it ends; returns the last record, null when there is none. */
export async function lockAuditChain(tx: Tx): Promise<{ seq: number; hash: string } | null> {
  await tx.execute(sql`select pg_advisory_xact_lock(${CHAIN_LOCK})`);
  const [last] = await tx
    .select({ seq: auditRecords.seq, hash: auditRecords.hash })
    .from(auditRecords)
    .orderBy(desc(auditRecords.seq))
    .limit(1);
  return last ?? null;
}

export async function insertAuditRecord(tx: Tx, record: typeof auditRecords.$inferInsert): Promise<void> {
  await tx.insert(auditRecords).values(record);
}
