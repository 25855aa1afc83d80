import { sql } from 'drizzle-orm';
import { getServicePort } from '@/domain/flow/service-port';
import { type Aged, agedRows, type Pages } from '../../../db/aged-rows';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { flowRollupHours, flowRollupMinutes } from '../../../db/schema/flows';
import { unnestRows } from '../../../db/unnest-rows';
import { stableKey } from '../../../lib/ids';
import type { ValidFlow } from '../flow-rows';
import { buildMarkInsert, KEEP_FROM_SUMMING } from './hours-to-sum';
import type { UnresolvedPart } from './unresolved-minutes';

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

/** Columns of both tables besides the node and its cluster, with the types of their arrays. */
export const ROLLUP_COLUMN_TYPES = {
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

export const ROLLUP_COLUMNS = Object.keys(ROLLUP_COLUMN_TYPES) as (keyof RollupRecord)[];

const LIST = sql.raw(ROLLUP_COLUMNS.join(', '));

const SUMS = ['bytes', 'packets', 'flows'] as const;

/** Caps totals at numbers that JavaScript can hold, whatever an agent claims. */
export const ADDED_TOTALS = sql.raw(
  SUMS.map((name) => `${name} = least(t.${name} + excluded.${name}, ${Number.MAX_SAFE_INTEGER})`).join(', '),
);

/** Adds a node's traffic to its minutes and marks the aggregates. Rows must be sorted by bucket and key. */
export async function addToMinutes(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  rows: readonly RollupRecord[],
): Promise<void> {
  if (rows.length === 0) return;
  const minutes = pgArray('timestamptz', [...new Set(rows.map((row) => row.bucket_at))]);
  await tx.execute(sql`
    with marked as (${buildMarkInsert(sql`(
      select ${node.cluster_id}::uuid as cluster_id, unnest(${minutes}) as bucket_at)`)})
    insert into ${flowRollupMinutes} as t (node_id, cluster_id, ${LIST})
    select ${node.node_id}::uuid, ${node.cluster_id}::uuid, r.*
    from ${unnestRows(ROLLUP_COLUMN_TYPES, 'rollup_key', rows)} as r
    on conflict (node_id, bucket_at, rollup_key) do update set ${ADDED_TOTALS}`);
}

/** Minutes expire into their hours. */
export const AGED_MINUTES: Aged = { table: flowRollupMinutes, at: 'bucket_at' };

/**
 * Moves the minutes in some pages that began before `cutoff` into their hours: one statement, so that at every moment
 * each byte is in exactly one of the two tables. No other process aggregates them during this. @returns how many rows
 * were moved
 */
export async function moveMinutesToHours(executor: Executor, cutoff: string, pages: Pages): Promise<number> {
  const key = ROLLUP_COLUMNS.filter((name) => name !== 'bucket_at' && !SUMS.some((sum) => sum === name)).join(', ');
  const rows = await executor.execute<{ moved: number }>(sql`
    with alone as materialized (${KEEP_FROM_SUMMING}),
    gone as (
      delete from ${flowRollupMinutes} where ctid = any (${agedRows(AGED_MINUTES, cutoff, pages)})
      returning *),
    summed as (
      insert into ${flowRollupHours} as t (node_id, cluster_id, bucket_at, ${sql.raw(key)}, bytes, packets, flows)
      select node_id, cluster_id, date_trunc('hour', bucket_at, 'UTC'), ${sql.raw(key)},
        least(sum(bytes), ${sql.raw(String(Number.MAX_SAFE_INTEGER))}), least(sum(packets), ${sql.raw(String(Number.MAX_SAFE_INTEGER))}), sum(flows)
      from gone group by node_id, cluster_id, 3, ${sql.raw(key)}
      order by node_id, 3, rollup_key
      on conflict (node_id, bucket_at, rollup_key) do update set ${ADDED_TOTALS})
    select (select count(*) from gone)::int as moved from alone`);
  return rows[0]?.moved ?? 0;
}

/** The key of a rollup. */
export const rollupKey = (identity: RollupIdentity): string =>
  stableKey([
    identity.source_workload_id,
    identity.destination_workload_id,
    identity.source_prefix,
    identity.destination_prefix,
    identity.source_internal,
    identity.destination_internal,
    identity.protocol,
    identity.service_port,
    identity.reply,
    identity.decision,
  ]);

/** What a heartbeat adds to the minutes, each sorted by its key as the store asks for. */
export type RolledUp = {
  sums: RollupRecord[];
  /** The share of each flow in these rollups, where an end is unknown that may turn out to be a workload. */
  parts: UnresolvedPart[];
};

const byKey = <T>(rows: ReadonlyMap<string, T>): T[] =>
  [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);

/**
 * What a heartbeat adds by minute, ends, service and verdict. These rollups and the totals of the flows grow by the
 * same.
 * @param inserted keys of the flows that are new
 */
export function rollUp(flows: readonly ValidFlow[], inserted: ReadonlySet<string>): RolledUp {
  /** By minute and identity; a key is computed for each sum, not for each flow. */
  const sums = new Map<string, RollupRecord>();
  const parts = new Map<string, UnresolvedPart>();
  for (const { record, source_prefix, destination_prefix, is_resolvable } of flows) {
    const bucket_at = `${record.observed_at.slice(0, 'YYYY-MM-DDTHH:MM'.length)}:00.000Z`;
    const { service_port, reply } = getServicePort(record);
    const { source_workload_id, destination_workload_id, source_cidr, destination_cidr, protocol, decision } = record;
    const counted = {
      bytes: record.bytes ?? 0,
      packets: record.packets ?? 0,
      flows: inserted.has(record.flow_key) ? 1 : 0,
    };
    const alike = `${bucket_at} ${source_workload_id} ${destination_workload_id} ${source_prefix} ${destination_prefix} ${
      source_cidr === null
    } ${destination_cidr === null} ${service_port} ${reply} ${decision} ${protocol}`;
    let sum = sums.get(alike);
    if (!sum) {
      const identity = {
        source_workload_id,
        destination_workload_id,
        source_prefix,
        destination_prefix,
        source_internal: source_cidr !== null,
        destination_internal: destination_cidr !== null,
        protocol,
        service_port,
        reply,
        decision,
      };
      sum = { bucket_at, rollup_key: rollupKey(identity), ...identity, bytes: 0, packets: 0, flows: 0 };
      sums.set(alike, sum);
    }
    sum.bytes = Math.min(sum.bytes + counted.bytes, Number.MAX_SAFE_INTEGER);
    sum.packets = Math.min(sum.packets + counted.packets, Number.MAX_SAFE_INTEGER);
    sum.flows += counted.flows;
    if (is_resolvable) {
      const { rollup_key } = sum;
      const { flow_key } = record;
      parts.set(`${bucket_at} ${rollup_key} ${flow_key}`, { bucket_at, rollup_key, flow_key, ...counted });
    }
  }
  const byMinute = new Map([...sums.values()].map((sum) => [`${sum.bucket_at} ${sum.rollup_key}`, sum]));
  return { sums: byKey(byMinute), parts: byKey(parts) };
}
