import { type SQL, sql } from 'drizzle-orm';
import { SUM_SECONDS, type SumSeconds } from '@/domain/flow/plan-sums';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { nodes } from '../../../db/schema/clusters';
import { flowRollupHours, flowRollupMinutes } from '../../../db/schema/flows';
import { workloadOwners } from '../../../db/schema/moves';
import { trafficByWorkload, trafficOwners, trafficTotals } from '../../../db/schema/traffic';
import { countedOnce } from './counted-once';
import { ROLLUP_COLUMNS } from './minutes';

const raw = (text: string): SQL => sql.raw(text);

const list = (names: readonly string[], write: (name: string) => string): SQL => raw(names.map(write).join(', '));

const WORKLOAD_SUMS = ['bytes_in', 'bytes_out', 'packets_in', 'packets_out', 'flows'] as const;

const TOTAL_SUMS = ['bytes', 'packets', 'flows'] as const;

/** Caps totals at numbers that JavaScript can hold, whatever agents claim. */
const capped = (sum: string) => `least(${sum}, ${Number.MAX_SAFE_INTEGER})::bigint`;

const selectNodeIds = (clusterId: string): SQL =>
  sql`array(select id from ${nodes} where cluster_id = ${clusterId}::uuid)`;

/** Whether minutes of the hour have moved into it: those that are left are not all. */
export async function hasMovedMinutes(tx: Tx, clusterId: string, hourAt: string): Promise<boolean> {
  const rows = await tx.execute<{ moved: boolean }>(sql`
    select exists (select 1 from ${flowRollupHours} as t
      where t.node_id = any (${selectNodeIds(clusterId)}) and t.bucket_at = ${hourAt}::timestamptz) as moved`);
  return rows[0]?.moved ?? false;
}

/** What is made: buckets of one width and cluster. */
type Target = { cluster_id: string; bucket_seconds: SumSeconds; bucket_at: readonly string[] };

const toBucketArray = ({ bucket_at }: Target): SQL => pgArray('timestamptz', bucket_at);

/** The tenant at an end: of a workload that moved the one that had it in the whole bucket, or none. */
const getTenantColumn = (end: 'source' | 'destination', known: 's' | 'd', seconds: SumSeconds): SQL =>
  raw(`case when ${end} in (select workload_id from moved) then (select m.tenant_id from moved as m
      where m.workload_id = ${end} and (m.from_at is null or at >= m.from_at)
        and (m.to_at is null or at + interval '${seconds} seconds' <= m.to_at))
    else ${known}.tenant_id end`);

/** Traffic of one hour of a cluster by bucket, workloads and verdict, from its rollups: what counts once. */
function countRollups(target: Target, hourAt: string): SQL {
  const { cluster_id, bucket_seconds } = target;
  const of = (table: SQL) => sql`
    select ${raw(['node_id', 'cluster_id', ...ROLLUP_COLUMNS].map((name) => `t.${name}`).join(', '))}
    from ${table} as t where t.node_id = any (${selectNodeIds(cluster_id)})
      and t.bucket_at >= ${hourAt}::timestamptz and t.bucket_at < ${hourAt}::timestamptz + interval '1 hour'`;
  const minutes = of(sql`${flowRollupMinutes}`);
  const rollups =
    bucket_seconds === SUM_SECONDS.fine ? minutes : sql`${minutes} union all ${of(sql`${flowRollupHours}`)}`;
  return sql`
    select date_bin(make_interval(secs => ${bucket_seconds}::int), c.bucket_at, 'epoch'::timestamptz) as at,
      c.source_workload_id as source, c.destination_workload_id as destination, c.decision,
      ${list(TOTAL_SUMS, (name) => `${capped(`sum(c.${name})`)} as ${name}`)}
    from (${countedOnce(rollups)}) as c where c.counted group by 1, 2, 3, 4`;
}

/** Aggregates such traffic. */
function fromCounted({ bucket_seconds }: Target, counted: SQL): SQL {
  return sql`
    counted as materialized (${counted}),
    by_workload as (
      select at, workload_id, decision, ${list(WORKLOAD_SUMS, (name) => `${capped(`sum(${name})`)} as ${name}`)}
      from (
        select at, source as workload_id, decision, 0 as bytes_in, bytes as bytes_out, 0 as packets_in,
          packets as packets_out, flows
        from counted where source is not null
        union all
        select at, destination, decision, bytes, 0, packets, 0, case when source = destination then 0 else flows end
        from counted where destination is not null) as ends
      group by at, workload_id, decision),
    moved as materialized (
      select workload_id, tenant_id, from_at, to_at from ${workloadOwners} where workload_id in (
        select workload_id from ${workloadOwners} where from_at is not null or to_at is not null)),
    totals as (
      select at, decision, ${getTenantColumn('source', 's', bucket_seconds)} as source_tenant_id,
        ${getTenantColumn('destination', 'd', bucket_seconds)} as destination_tenant_id,
        ${list(TOTAL_SUMS, (name) => `${capped(`sum(${name})`)} as ${name}`)}
      from counted left join ${trafficOwners} as s on s.workload_id = source
        left join ${trafficOwners} as d on d.workload_id = destination
      group by 1, 2, 3, 4)`;
}

/** Aggregates one hour from its five-minute buckets, which must all be computed. */
function fromFiveMinutes({ cluster_id, bucket_at }: Target): SQL {
  const hour = sql`${bucket_at[0] ?? null}::timestamptz`;
  const rows = (table: SQL, keys: string, sums: readonly string[]) => sql`
    select ${hour} as at, decision, ${raw(keys)}, ${list(sums, (name) => `${capped(`sum(${name})`)} as ${name}`)}
    from ${table} where bucket_seconds = ${SUM_SECONDS.fine} and bucket_at >= ${hour}
      and bucket_at < ${hour} + interval '1 hour' and cluster_id = ${cluster_id}::uuid
    group by decision, ${raw(keys)}`;
  return sql`
    by_workload as (${rows(sql`${trafficByWorkload}`, 'workload_id', WORKLOAD_SUMS)}),
    totals as (${rows(sql`${trafficTotals}`, 'source_tenant_id, destination_tenant_id', TOTAL_SUMS)})`;
}

type Stored = { table: SQL; made: string; keys: readonly string[]; sums: readonly string[] };

const STORED: readonly Stored[] = [
  { table: sql`${trafficByWorkload}`, made: 'by_workload', keys: ['workload_id'], sums: WORKLOAD_SUMS },
  {
    table: sql`${trafficTotals}`,
    made: 'totals',
    keys: ['source_tenant_id', 'destination_tenant_id'],
    sums: TOTAL_SUMS,
  },
];

/** Makes the stored rows of the target those of the query. Only what differs is written. */
function store({ table, made, keys, sums }: Stored, target: Target): SQL {
  const { cluster_id, bucket_seconds } = target;
  // With plain equality, which joins by hash: there are many rows of few verdicts.
  const key = (of: string) => `coalesce(${of}, '00000000-0000-0000-0000-000000000000')`;
  const same = raw(
    [
      't.bucket_at = m.at',
      't.decision = m.decision',
      ...keys.map((name) => `${key(`t.${name}`)} = ${key(`m.${name}`)}`),
    ].join(' and '),
  );
  const all = ['decision', ...keys, ...sums];
  const conflict = raw(
    ['bucket_seconds', 'bucket_at', ...(made === 'totals' ? ['cluster_id'] : []), 'decision', ...keys].join(', '),
  );
  const present = sql`t.bucket_seconds = ${bucket_seconds} and t.cluster_id = ${cluster_id}::uuid
    and t.bucket_at = any (${toBucketArray(target)})`;
  return sql`
    ${raw(`${made}_stored`)} as (
      insert into ${table} as t (bucket_seconds, bucket_at, cluster_id, ${list(all, (name) => name)})
      select ${bucket_seconds}::int, m.at, ${cluster_id}::uuid, ${list(all, (name) => `m.${name}`)}
      from ${raw(made)} as m left join (select * from ${table} as t where ${present}) as t on ${same}
      where (${list(sums, (name) => `t.${name}`)}) is distinct from (${list(sums, (name) => `m.${name}`)})
      order by m.at, m.decision, ${raw(keys.map((name) => `m.${name}`).join(', '))}
      on conflict (${conflict}) do update set ${list(sums, (name) => `${name} = excluded.${name}`)}
      returning 1),
    ${raw(`${made}_gone`)} as (
      delete from ${table} as t where ${present}
        and not exists (select 1 from ${raw(made)} as m where ${same})
      returning 1)`;
}

/**
 * Recomputes the aggregates of an hour's five-minute buckets. All of them: which node's report counts is determined
 * per hour, and may have changed.
 * @param counted the traffic of the hour, if it is stored elsewhere
 */
export async function recomputeFiveMinutes(tx: Tx, cluster_id: string, hourAt: string, counted?: SQL): Promise<void> {
  const bucket_at = Array.from({ length: 12 }, (_, i) => new Date(Date.parse(hourAt) + i * 300_000).toISOString());
  const target: Target = { cluster_id, bucket_seconds: SUM_SECONDS.fine, bucket_at };
  await recompute(tx, fromCounted(target, counted ?? countRollups(target, hourAt)), target);
}

/** Recomputes the aggregates of an hour directly from rollups, when its minutes have moved. */
export async function recomputeHourFromRollups(
  tx: Tx,
  cluster_id: string,
  hourAt: string,
  counted?: SQL,
): Promise<void> {
  const target: Target = { cluster_id, bucket_seconds: SUM_SECONDS.hour, bucket_at: [hourAt] };
  await recompute(tx, fromCounted(target, counted ?? countRollups(target, hourAt)), target);
}

/** Recomputes the aggregates of an hour from its five-minute buckets. */
export async function recomputeHour(tx: Tx, cluster_id: string, hourAt: string): Promise<void> {
  const target: Target = { cluster_id, bucket_seconds: SUM_SECONDS.hour, bucket_at: [hourAt] };
  await recompute(tx, fromFiveMinutes(target), target);
}

async function recompute(tx: Tx, rows: SQL, target: Target): Promise<void> {
  // Thousands of rows meet as many. Joins other than by hash compare most pairs of them, and look cheap to a planner that takes
  // them for few, as it does those of a new bucket.
  await tx.execute(sql`select set_config('work_mem', '64MB', true), set_config('enable_nestloop', 'off', true),
    set_config('enable_mergejoin', 'off', true)`);
  await tx.execute(
    sql`with ${rows}, ${sql.join(
      STORED.map((stored) => store(stored, target)),
      sql`, `,
    )} select 1`,
  );
}

/**
 * Deletes the oldest bucket of one width that begins after one moment and before another: going on from the last one never
 * meets what was deleted before. @returns the bucket and how many rows went, null when there is none
 */
export async function deleteOldestSums(
  executor: Executor,
  name: 'traffic_by_workload' | 'traffic_totals',
  range: { bucket_seconds: SumSeconds; after: string; before: string },
): Promise<{ bucket_at: string; gone: number } | null> {
  const table = name === 'traffic_totals' ? trafficTotals : trafficByWorkload;
  const { bucket_seconds, after, before } = range;
  const rows = await executor.execute<{ bucket_at: string | null; gone: number }>(sql`
    with oldest as materialized (select min(bucket_at) as at from ${table}
      where bucket_seconds = ${bucket_seconds} and bucket_at > ${after}::timestamptz and bucket_at < ${before}::timestamptz),
    gone as (delete from ${table} as t where t.bucket_seconds = ${bucket_seconds}
      and t.bucket_at = (select at from oldest) returning 1)
    select (select at from oldest) as bucket_at, count(*)::int as gone from gone`);
  const [row] = rows;
  return row?.bucket_at ? { bucket_at: new Date(row.bucket_at).toISOString(), gone: row.gone } : null;
}
