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
 * Traffic of each guest, made from the sums per minute and hour; what two nodes saw of one conversation counts once. A flow
 * between two guests counts at both.
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

/** All traffic, by the tenants at its ends (null: nobody's, or no known guest). What two nodes saw counts once. */
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

/** What of the sums above is to be made anew: each says that a bucket of a cluster changed. Rows are only added and deleted. */
export const trafficMarks = pgTable('traffic_marks', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  cluster_id: uuid().notNull(),
  /** Start of the five minutes, or of the hour where there are no minutes any more. */
  bucket_at: timestamptz().notNull(),
  marked_at: timestampNow(),
});

/** To which tenant the sums count a guest; one that is gone keeps its last. */
export const trafficOwners = pgTable('traffic_owners', {
  workload_id: uuid().primaryKey(),
  tenant_id: uuid(),
  /** The newest of its `workload_owners` by then: a tenant that had it for a moment, between two looks, has its past all the same. */
  newest_owner: bigint({ mode: 'number' }),
  /** When the guest was found to be gone. */
  gone_at: timestamptz(),
});

/** One row whose number rises with each change of the sums: who has read them knows whether to read them again. */
export const trafficVersion = pgTable('traffic_version', {
  version: bigint({ mode: 'number' }).notNull(),
});
