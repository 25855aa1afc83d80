import { type SQL, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { nodeAgents } from '../../../db/schema/clusters';
import { flowExporters } from '../../../db/schema/flow-exporters';
import { trafficMarks, trafficVersion } from '../../../db/schema/traffic';

/** Hours that are looked through at a time. */
const MAX_HOURS = 64;

/**
 * SQL that marks the buckets of rollups, to be part (`with … as`) of the statement that changes these: neither happens
 * without the other. Marks are only added, so that writers wait neither for each other nor for the job.
 * @param rows the FROM expression, with `cluster_id` and `bucket_at`
 */
export function buildMarkInsert(rows: SQL): SQL {
  return sql`insert into ${trafficMarks} (cluster_id, bucket_at)
    select distinct r.cluster_id, date_bin('5 minutes', r.bucket_at, 'epoch'::timestamptz) from ${rows} as r`;
}

/** An hour of a cluster in which something changed, and the marks to remove once it is computed. */
export type MarkedHour = { cluster_id: string; hour_at: string; mark_ids: number[] };

/** The number of the newest mark; 0 when there is none. */
export async function newestMark(executor: Executor): Promise<number> {
  const rows = await executor.execute<{ id: number }>(
    sql`select coalesce(max(id), 0)::float8 as id from ${trafficMarks}`,
  );
  return rows[0]?.id ?? 0;
}

/** Hours with marks up to a number, the newest hours first; not all when there are many. */
export async function findMarkedHours(executor: Executor, upTo: number): Promise<MarkedHour[]> {
  const time = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`);
  const rows = await executor.execute<MarkedHour>(sql`
    select cluster_id, ${time('hour')} as hour_at, array_agg(id::float8) as mark_ids
    from (select *, date_trunc('hour', bucket_at, 'UTC') as hour from ${trafficMarks} where id <= ${upTo}) as marks
    group by cluster_id, hour order by hour desc, cluster_id limit ${MAX_HOURS}`);
  return [...rows];
}

/** Takes marks away. Those that were set in the meantime stay. */
export async function deleteMarks(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.execute(sql`delete from ${trafficMarks} where id = any (${pgArray('bigint', ids)})`);
}

const LOCK = sql.raw(`hashtextextended('traffic-sums', 0)`);

/** Takes the aggregation lock: until the transaction ends, no other process aggregates or moves minutes into hours. */
export async function lockTrafficSums(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
}

/** A SELECT that blocks aggregation until the transaction ends; several transactions may hold it. */
export const KEEP_FROM_SUMMING: SQL = sql`select pg_advisory_xact_lock_shared(${LOCK})`;

/** Signals that the aggregates have changed. */
export async function raiseTrafficVersion(tx: Tx): Promise<void> {
  await tx.execute(sql`update ${trafficVersion} set version = version + 1`);
}

/** Makes heartbeats of the node wait until the transaction ends: neither meets the other's rows half way. */
export async function lockNode(tx: Tx, nodeId: string): Promise<void> {
  // An exporter in the place of an agent: who stores its flows locks it, then the agent.
  await tx.execute(sql`select 1 from ${flowExporters} where ${flowExporters.node_id} = ${nodeId}::uuid for update`);
  await tx.execute(sql`select 1 from ${nodeAgents} where ${nodeAgents.node_id} = ${nodeId}::uuid for update`);
}
