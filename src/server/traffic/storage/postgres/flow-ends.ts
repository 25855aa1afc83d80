import { type SQL, sql } from 'drizzle-orm';
import type { Pages } from '../../../db/aged-rows';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { flowRollupHours, flowRollupMinutes, trafficFlows } from '../../../db/schema/flows';
import { unnestRows } from '../../../db/unnest-rows';
import type { FlowEnds, Learned } from '../flow-rows';
import { buildMarkInsert } from './hours-to-sum';
import type { RollupIdentity } from './minutes';
import { resumConversations } from './store-conversations';

/** Tables whose rows carry ends. */
const TABLES = {
  traffic_flows: trafficFlows,
  flow_rollup_minutes: flowRollupMinutes,
  flow_rollup_hours: flowRollupHours,
} as const;

export type EndTable = keyof typeof TABLES;

export const END_TABLES = Object.keys(TABLES) as EndTable[];

export type RollupTable = Exclude<EndTable, 'traffic_flows'>;

/** The pages of a table now. */
export async function countPages(executor: Executor, name: EndTable): Promise<number> {
  const rows = await executor.execute<{ pages: number }>(
    sql`select (pg_relation_size(${name}::regclass) / current_setting('block_size')::int)::int as pages`,
  );
  return rows[0]?.pages ?? 0;
}

const within = ({ from, to }: Pages): SQL => sql`t.ctid >= ${`(${from},0)`}::tid and t.ctid < ${`(${to},0)`}::tid`;

export type UnresolvedFlow = FlowEnds & {
  node_id: string;
  cluster_id: string;
  flow_key: string;
  source_ip: string;
  destination_ip: string;
  vmid: number | null;
  /** When it was last observed, in milliseconds since 1970. */
  observed_ms: number;
};

/**
 * Flows in some pages that have an unknown end about which something was learned.
 * @param learned null: everything that is known is new
 */
export async function listUnresolvedFlows(
  executor: Executor,
  pages: Pages,
  learned: Learned | null,
): Promise<UnresolvedFlow[]> {
  const about = learned
    ? sql` and (t.source_ip <<= any (${pgArray('inet', learned.networks)})
        or t.destination_ip <<= any (${pgArray('inet', learned.networks)})
        or t.workload_id is null and t.vmid = any (${pgArray('int', learned.vmids)}))`
    : sql``;
  const rows = await executor.execute<UnresolvedFlow>(sql`
    select t.node_id, t.cluster_id, t.flow_key, host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip,
      t.vmid, (date_part('epoch', t.observed_at) * 1000)::float8 as observed_ms, t.workload_id, t.source_workload_id, t.destination_workload_id, t.source_cidr::text as source_cidr,
      t.destination_cidr::text as destination_cidr
    from ${trafficFlows} as t
    where ${within(pages)} and (t.source_workload_id is null or t.destination_workload_id is null
      or t.source_cidr is null or t.destination_cidr is null)${about}`);
  return [...rows];
}

const END_COLUMNS = {
  flow_key: 'uuid',
  source_workload_id: 'uuid',
  destination_workload_id: 'uuid',
  source_cidr: 'cidr',
  destination_cidr: 'cidr',
  workload_id: 'uuid',
} as const;

/** Fills in ends of flows of a node that are still unknown, and of their conversations. @returns how many flows */
export async function fillFlowEnds(
  tx: Tx,
  nodeId: string,
  rows: readonly (FlowEnds & { flow_key: string })[],
): Promise<number> {
  const filled = Object.keys(END_COLUMNS).filter((name) => name !== 'flow_key');
  const done = await tx.execute<{ n: number; ids: string | null }>(sql`
    with filled as (
      update ${trafficFlows} as t set ${sql.raw(filled.map((name) => `${name} = coalesce(t.${name}, r.${name})`).join(', '))}
      from ${unnestRows(END_COLUMNS, 'flow_key', rows)} as r
      where t.node_id = ${nodeId}::uuid and t.flow_key = r.flow_key
      returning t.conversation_id)
    select count(*)::int as n, string_agg(distinct conversation_id::text, ',') as ids from filled`);
  await resumConversations(tx, done[0]?.ids?.split(',') ?? []);
  return done[0]?.n ?? 0;
}

export type ExternalRollup = RollupIdentity & { node_id: string; bucket_at: string; rollup_key: string };

/** Rollup rows in some pages with an end that was external and is in one of the networks. */
export async function listExternalRollups(
  executor: Executor,
  name: RollupTable,
  pages: Pages,
  networks: readonly string[],
): Promise<ExternalRollup[]> {
  const rows = await executor.execute<ExternalRollup>(sql`
    select t.node_id, to_char(t.bucket_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as bucket_at, t.rollup_key,
      t.source_workload_id, t.destination_workload_id, t.source_prefix::text as source_prefix,
      t.destination_prefix::text as destination_prefix, t.source_internal, t.destination_internal, t.protocol,
      t.service_port, t.reply, t.decision
    from ${TABLES[name]} as t
    where ${within(pages)}
      and (not t.source_internal and t.source_prefix <<= any (${pgArray('inet', networks)})
        or not t.destination_internal and t.destination_prefix <<= any (${pgArray('inet', networks)}))`);
  return [...rows];
}

const MOVE_COLUMNS = {
  old_key: 'uuid',
  bucket_at: 'timestamptz',
  rollup_key: 'uuid',
  source_prefix: 'cidr',
  destination_prefix: 'cidr',
  source_internal: 'boolean',
  destination_internal: 'boolean',
} as const;

export type RollupMove = {
  old_key: string;
  bucket_at: string;
  rollup_key: string;
  source_prefix: string;
  destination_prefix: string;
  source_internal: boolean;
  destination_internal: boolean;
};

/**
 * Sets the new ends of a node's rollup rows: one statement, so that at every moment each byte is in exactly one row.
 * No other process may write rollups of the node during this. @returns how many rows
 */
export async function moveRollups(
  tx: Tx,
  name: RollupTable,
  nodeId: string,
  moves: readonly RollupMove[],
): Promise<number> {
  const sums = ['bytes', 'packets', 'flows'];
  const [kept, given] = [
    ['source_workload_id', 'destination_workload_id', 'protocol', 'service_port', 'reply', 'decision'],
    ['source_prefix', 'destination_prefix', 'source_internal', 'destination_internal'],
  ];
  const key = [...(kept ?? []), ...(given ?? [])].join(', ');
  const capped = (value: string) => `least(${value}, ${Number.MAX_SAFE_INTEGER})`;
  const rows = await tx.execute<{ n: number }>(sql`
    with moves as materialized (select * from ${unnestRows(MOVE_COLUMNS, 'old_key', moves)} as r),
    gone as (
      delete from ${TABLES[name]} as t using moves as m
      where t.node_id = ${nodeId}::uuid and t.bucket_at = m.bucket_at and t.rollup_key = m.old_key
      returning t.node_id, t.cluster_id, t.bucket_at, m.rollup_key,
        ${sql.raw([...(kept ?? []).map((column) => `t.${column}`), ...(given ?? []).map((column) => `m.${column}`)].join(', '))},
        ${sql.raw(sums.map((column) => `t.${column}`).join(', '))}),
    marked as (${buildMarkInsert(sql`gone`)}),
    placed as (
      insert into ${TABLES[name]} as t (node_id, cluster_id, bucket_at, rollup_key, ${sql.raw(key)}, bytes, packets, flows)
      select node_id, cluster_id, bucket_at, rollup_key, ${sql.raw(key)},
        ${sql.raw(sums.map((column) => capped(`sum(${column})`)).join(', '))}
      from gone group by node_id, cluster_id, bucket_at, rollup_key, ${sql.raw(key)}
      order by bucket_at, rollup_key
      on conflict (node_id, bucket_at, rollup_key) do update set
        ${sql.raw(sums.map((column) => `${column} = ${capped(`t.${column} + excluded.${column}`)}`).join(', '))})
    select count(*)::int as n from gone`);
  return rows[0]?.n ?? 0;
}
