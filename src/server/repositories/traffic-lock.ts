import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../db/client';

const LOCK = sql.raw(`hashtextextended('traffic-sums', 0)`);

/** Makes sums alone: nobody else makes them, and no minutes move into hours, until the transaction ends. */
export async function lockTrafficSums(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
}

/** A SELECT that keeps sums from being made until the transaction ends; several may hold it. */
export const KEEP_FROM_SUMMING: SQL = sql`select pg_advisory_xact_lock_shared(${LOCK})`;
