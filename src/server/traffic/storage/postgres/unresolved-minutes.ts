import { type SQL, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../../db/client';
import { flowRollupMinutes, flowUnresolvedMinutes, trafficFlows } from '../../../db/schema/flows';
import { unnestRows } from '../../../db/unnest-rows';
import type { UnresolvedFlow } from './flow-ends';
import type { RollupIdentity } from './minutes';

/** What of a minute came from a flow, of which an end is unknown. */
export type UnresolvedPart = {
  bucket_at: string;
  rollup_key: string;
  flow_key: string;
  bytes: number;
  packets: number;
  flows: number;
};

export const PART_COLUMNS = {
  bucket_at: 'timestamptz',
  rollup_key: 'uuid',
  flow_key: 'uuid',
  bytes: 'bigint',
  packets: 'bigint',
  flows: 'bigint',
} as const satisfies Record<keyof UnresolvedPart, string>;

const SUMS = ['bytes', 'packets', 'flows'];

const MAX = Number.MAX_SAFE_INTEGER;

const ADDED = sql.raw(SUMS.map((name) => `${name} = least(t.${name} + excluded.${name}, ${MAX})`).join(', '));

/** Adds what flows of a node with unknown ends contributed to its minutes. The rows must be sorted by minute and keys. */
export async function addUnresolvedParts(tx: Tx, nodeId: string, parts: readonly UnresolvedPart[]): Promise<void> {
  if (parts.length === 0) return;
  await tx.execute(sql`
    insert into ${flowUnresolvedMinutes} as t (node_id, ${sql.raw(Object.keys(PART_COLUMNS).join(', '))})
    select ${nodeId}::uuid, r.* from ${unnestRows(PART_COLUMNS, 'flow_key', parts)} as r
    on conflict (node_id, bucket_at, rollup_key, flow_key) do update set ${ADDED}`);
}

/** Where a walk through all parts is. */
export type PartPosition = { node_id: string; bucket_at: string; rollup_key: string; flow_key: string };

const KEY = sql.raw('(t.node_id, t.bucket_at, t.rollup_key, t.flow_key)');

const toPositionKey = (position: PartPosition): SQL =>
  sql`(${position.node_id}::uuid, ${position.bucket_at}::timestamptz, ${position.rollup_key}::uuid, ${position.flow_key}::uuid)`;

const isAfter = (position: PartPosition | null): SQL =>
  position ? sql`${KEY} > ${toPositionKey(position)}` : sql`true`;

/** A part whose flow knows a workload that its minute does not know. */
export type ResolvedPart = UnresolvedPart & {
  minute: RollupIdentity & Pick<UnresolvedPart, 'bytes' | 'packets' | 'flows'>;
  /** The flow as it is stored now. */
  flow: Omit<UnresolvedFlow, 'source_cidr' | 'destination_cidr' | 'observed_ms'>;
};

const IDENTITY = [
  'source_workload_id',
  'destination_workload_id',
  'source_prefix',
  'destination_prefix',
  'source_internal',
  'destination_internal',
  'protocol',
  'service_port',
  'reply',
  'decision',
];

const FLOW = [
  'node_id',
  'cluster_id',
  'flow_key',
  'vmid',
  'workload_id',
  'source_workload_id',
  'destination_workload_id',
];

const columns = (table: string, names: readonly string[]): SQL =>
  sql.raw(names.map((name) => `'${name}', ${table}.${name}`).join(', '));

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS"Z"'`;

/**
 * Parts in the order of their keys, after a position: the position of the last one, and which nodes have parts whose
 * flow knows more than the minute. By keys and not by pages: a part written during the read is not missed.
 */
export async function readParts(
  executor: Executor,
  after: PartPosition | null,
  limit: number,
): Promise<{ last: PartPosition | null; node_ids: string[] }> {
  const rows = await executor.execute<{ last: PartPosition | null; node_ids: string[] | null }>(sql`
    with d as materialized (
      select node_id, bucket_at, rollup_key, flow_key from ${flowUnresolvedMinutes} as t
      where ${isAfter(after)} order by node_id, bucket_at, rollup_key, flow_key limit ${limit})
    select (select to_jsonb(l) from (
        select node_id, to_char(bucket_at at time zone 'UTC', ${sql.raw(TIME)}) as bucket_at, rollup_key, flow_key
        from d order by d.node_id desc, d.bucket_at desc, d.rollup_key desc, d.flow_key desc limit 1) as l) as last,
      (select array_agg(distinct d.node_id) from d ${KNOWING_MORE}) as node_ids`);
  return { last: rows[0]?.last ?? null, node_ids: rows[0]?.node_ids ?? [] };
}

/** Joins of parts (`d`) to flow (`f`) and minute (`r`), row by row through their primary keys. */
const KNOWING_MORE: SQL = sql`
  cross join lateral (select * from ${trafficFlows} as t where t.node_id = d.node_id and t.flow_key = d.flow_key
    and (t.source_workload_id is not null or t.destination_workload_id is not null) offset 0) as f
  cross join lateral (select * from ${flowRollupMinutes} as t
    where t.node_id = d.node_id and t.bucket_at = d.bucket_at and t.rollup_key = d.rollup_key
      and (t.source_workload_id is null and f.source_workload_id is not null
        or t.destination_workload_id is null and f.destination_workload_id is not null) offset 0) as r`;

/** The same parts of a node, up to a position (inclusive). No other process may write its rollups during this. */
export async function listResolvedParts(
  tx: Tx,
  nodeId: string,
  after: PartPosition | null,
  last: PartPosition,
): Promise<ResolvedPart[]> {
  const rows = await tx.execute<ResolvedPart>(sql`
    with d as materialized (select * from ${flowUnresolvedMinutes} as t
      where t.node_id = ${nodeId}::uuid and ${KEY} <= ${toPositionKey(last)} and ${isAfter(after)})
    select to_char(d.bucket_at at time zone 'UTC', ${sql.raw(TIME)}) as bucket_at, d.rollup_key, d.flow_key,
      d.bytes::float8 as bytes, d.packets::float8 as packets, d.flows::float8 as flows,
      jsonb_build_object(${columns('r', [...IDENTITY, ...SUMS])}) as minute,
      jsonb_build_object('source_ip', host(f.source_ip), 'destination_ip', host(f.destination_ip), ${columns('f', FLOW)}) as flow
    from d ${KNOWING_MORE} order by d.bucket_at, d.rollup_key, d.flow_key`);
  return [...rows];
}

/** Takes parts out of their minutes, which go when nothing is left in them. */
export async function subtractParts(tx: Tx, nodeId: string, parts: readonly UnresolvedPart[]): Promise<void> {
  await tx.execute(sql`
    with p as materialized (select * from ${unnestRows(PART_COLUMNS, 'flow_key', parts)} as r),
    gone as (
      delete from ${flowUnresolvedMinutes} as t using p
      where t.node_id = ${nodeId}::uuid and t.bucket_at = p.bucket_at and t.rollup_key = p.rollup_key and t.flow_key = p.flow_key),
    taken as (select bucket_at, rollup_key, ${sql.raw(SUMS.map((name) => `sum(${name}) as ${name}`).join(', '))}
      from p group by bucket_at, rollup_key)
    update ${flowRollupMinutes} as t
    set ${sql.raw(SUMS.map((name) => `${name} = t.${name} - taken.${name}`).join(', '))} from taken
    where t.node_id = ${nodeId}::uuid and t.bucket_at = taken.bucket_at and t.rollup_key = taken.rollup_key`);
  await tx.execute(sql`
    delete from ${flowRollupMinutes} as t using ${unnestRows(PART_COLUMNS, 'flow_key', parts)} as p
    where t.node_id = ${nodeId}::uuid and t.bucket_at = p.bucket_at and t.rollup_key = p.rollup_key
      and t.bytes = 0 and t.packets = 0 and t.flows = 0`);
}

/** Puts parts of a node under the keys that their minutes have now. */
export async function moveParts(
  tx: Tx,
  nodeId: string,
  moves: readonly { old_key: string; bucket_at: string; rollup_key: string }[],
): Promise<void> {
  const columns = { old_key: 'uuid', bucket_at: 'timestamptz', rollup_key: 'uuid' } as const;
  await tx.execute(sql`
    with moves as materialized (select * from ${unnestRows(columns, 'old_key', moves)} as r),
    gone as (
      delete from ${flowUnresolvedMinutes} as t using moves as m
      where t.node_id = ${nodeId}::uuid and t.bucket_at = m.bucket_at and t.rollup_key = m.old_key
      returning t.bucket_at, m.rollup_key, t.flow_key, t.bytes, t.packets, t.flows)
    insert into ${flowUnresolvedMinutes} as t (node_id, ${sql.raw(Object.keys(PART_COLUMNS).join(', '))})
    select ${nodeId}::uuid, bucket_at, rollup_key, flow_key, ${sql.raw(SUMS.map((name) => `least(sum(${name}), ${MAX})`).join(', '))}
    from gone group by bucket_at, rollup_key, flow_key order by bucket_at, rollup_key, flow_key
    on conflict (node_id, bucket_at, rollup_key, flow_key) do update set ${ADDED}`);
}
