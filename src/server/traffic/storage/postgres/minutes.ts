import { sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { rowsOfArrays } from '../../../db/rows-of-arrays';
import { flowRollupHours, flowRollupMinutes } from '../../../db/schema/flows';
import { KEEP_FROM_SUMMING, marking } from './marks';
import { agedRows, type Pages } from './retention';

/** Traffic of one minute or hour between two ends; `bucket_at` is where it begins. */
export type RollupRecord = {
  bucket_at: string;
  rollup_key: string;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  source_prefix: string;
  destination_prefix: string;
  source_internal: boolean;
  destination_internal: boolean;
  protocol: string;
  service_port: number | null;
  reply: boolean;
  decision: string;
  bytes: number;
  packets: number;
  flows: number;
};

/** What a rollup's key is made of. */
export type RollupIdentity = Omit<RollupRecord, 'bucket_at' | 'rollup_key' | 'bytes' | 'packets' | 'flows'>;

const COLUMNS = {
  bucket_at: 'timestamptz',
  rollup_key: 'uuid',
  source_workload_id: 'uuid',
  destination_workload_id: 'uuid',
  source_prefix: 'cidr',
  destination_prefix: 'cidr',
  source_internal: 'boolean',
  destination_internal: 'boolean',
  protocol: 'text',
  service_port: 'int',
  reply: 'boolean',
  decision: 'text',
  bytes: 'bigint',
  packets: 'bigint',
  flows: 'bigint',
} as const satisfies Record<keyof RollupRecord, string>;

/** Columns of both tables besides the node and its cluster. */
export const ROLLUP_COLUMNS = Object.keys(COLUMNS) as (keyof RollupRecord)[];

const LIST = sql.raw(ROLLUP_COLUMNS.join(', '));

const SUMS = ['bytes', 'packets', 'flows'] as const;

/** Sums stay numbers that JavaScript can hold, whatever an agent claims. */
const ADDED = sql.raw(
  SUMS.map((name) => `${name} = least(t.${name} + excluded.${name}, ${Number.MAX_SAFE_INTEGER})`).join(', '),
);

/** Adds a node's traffic to its minutes and marks the sums that are made from them. The rows must be sorted by bucket and key. */
export async function addToMinutes(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  rows: readonly RollupRecord[],
): Promise<void> {
  if (rows.length === 0) return;
  const minutes = pgArray('timestamptz', [...new Set(rows.map((row) => row.bucket_at))]);
  await tx.execute(sql`
    with marked as (${marking(sql`(
      select ${node.cluster_id}::uuid as cluster_id, unnest(${minutes}) as bucket_at)`)})
    insert into ${flowRollupMinutes} as t (node_id, cluster_id, ${LIST})
    select ${node.node_id}::uuid, ${node.cluster_id}::uuid, r.*
    from ${rowsOfArrays(COLUMNS, 'rollup_key', rows)} as r
    on conflict (node_id, bucket_at, rollup_key) do update set ${ADDED}`);
}

/**
 * Moves the minutes in some pages that began before `cutoff` into their hours: one statement, so that at every moment each
 * byte is in exactly one of the two tables. Nobody makes sums of them meanwhile. @returns how many rows were moved
 */
export async function moveMinutesToHours(executor: Executor, cutoff: string, pages: Pages): Promise<number> {
  const key = ROLLUP_COLUMNS.filter((name) => name !== 'bucket_at' && !SUMS.some((sum) => sum === name)).join(', ');
  const rows = await executor.execute<{ moved: number }>(sql`
    with alone as materialized (${KEEP_FROM_SUMMING}),
    gone as (
      delete from ${flowRollupMinutes} where ctid = any (${agedRows('flow_rollup_minutes', cutoff, pages)})
      returning *),
    summed as (
      insert into ${flowRollupHours} as t (node_id, cluster_id, bucket_at, ${sql.raw(key)}, bytes, packets, flows)
      select node_id, cluster_id, date_trunc('hour', bucket_at, 'UTC'), ${sql.raw(key)},
        least(sum(bytes), ${sql.raw(String(Number.MAX_SAFE_INTEGER))}), least(sum(packets), ${sql.raw(String(Number.MAX_SAFE_INTEGER))}), sum(flows)
      from gone group by node_id, cluster_id, 3, ${sql.raw(key)}
      order by node_id, 3, rollup_key
      on conflict (node_id, bucket_at, rollup_key) do update set ${ADDED})
    select (select count(*) from gone)::int as moved from alone`);
  return rows[0]?.moved ?? 0;
}
