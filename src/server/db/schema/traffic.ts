import { bigint, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { timestampNow, timestamptz } from '../columns';

const total = () => bigint({ mode: 'number' }).notNull().default(0);

const bucket = {
  /** 300 for the last day, 3600 for the last 400 days. */
  bucket_seconds: integer().notNull(),
  bucket_at: timestamptz().notNull(),
  cluster_id: uuid().notNull(),
  decision: text().notNull(),
};

/**
 * Traffic of each guest, computed from the rollups per minute and hour; a conversation seen by two nodes counts once.
 * A flow between two guests counts at both.
 */
export const trafficByWorkload = pgTable(
  'traffic_by_workload',
  {
    ...bucket,
    workload_id: uuid().notNull(),
    bytes_in: total(),
    bytes_out: total(),
    packets_in: total(),
    packets_out: total(),
    /** Flows that began in the bucket with the guest at either end. */
    flows: total(),
  },
  (t) => [
    primaryKey({
      name: 'traffic_by_workload_key',
      columns: [t.bucket_seconds, t.bucket_at, t.workload_id, t.decision],
    }),
  ],
);

/**
 * All traffic, by the tenants at its ends (null: no tenant, or no known guest). Traffic seen by two nodes counts
 * once.
 */
export const trafficTotals = pgTable(
  'traffic_totals',
  {
    ...bucket,
    source_tenant_id: uuid(),
    destination_tenant_id: uuid(),
    bytes: total(),
    packets: total(),
    flows: total(),
  },
  (t) => [
    unique('traffic_totals_key')
      .on(t.bucket_seconds, t.bucket_at, t.cluster_id, t.decision, t.source_tenant_id, t.destination_tenant_id)
      .nullsNotDistinct(),
  ],
);

/** Which totals above to recompute: each row marks a changed bucket of a cluster. Rows are only added and deleted. */
export const trafficMarks = pgTable('traffic_marks', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  cluster_id: uuid().notNull(),
  /** Start of the five minutes, or of the hour where there are no minutes any more. */
  bucket_at: timestamptz().notNull(),
  marked_at: timestampNow(),
});

/** The tenant to which the totals assign a guest; a deleted guest keeps its last one. */
export const trafficOwners = pgTable('traffic_owners', {
  workload_id: uuid().primaryKey(),
  tenant_id: uuid(),
  /**
   * The newest of its `workload_owners` by then: a tenant that owned it briefly, between two reads, keeps its
   * history.
   */
  newest_owner: bigint({ mode: 'number' }),
  /** When the guest was found to be gone. */
  gone_at: timestamptz(),
});

/** One row whose number rises with each change of the totals: a reader knows from it whether to read them again. */
export const trafficVersion = pgTable('traffic_version', {
  version: bigint({ mode: 'number' }).notNull(),
});
