import { type SQL, sql } from 'drizzle-orm';
import type { SumPart } from '@/domain/flow/plan-sums';
import type { TopTalker, TopTalkers } from '@/domain/flow/traffic-sums';
import type { TenantReach } from '@/domain/permissions';
import { db } from '../db/client';
import { clusters } from '../db/schema/clusters';
import { interfaceTraffic } from '../db/schema/telemetry';
import { trafficByWorkload, trafficTotals } from '../db/schema/traffic';
import { workloads } from '../db/schema/workloads';
import type { BucketSum } from './flow-series';
import { pgArray } from './pg-array';
import { workloadInReach } from './tenant-reach';
import { completeUntil } from './traffic-marks';

/** Whose traffic is meant, in which range of whole buckets. Times are RFC 3339, `until` is not part of the range. */
export type TrafficSelection = {
  tenants: TenantReach;
  cluster_id: string | undefined;
  since: string;
  until: string;
};

const iso = (time: number) => new Date(time).toISOString();
const raw = (text: string): SQL => sql.raw(text);

/** The rows of parts of a table, one part after the other so that each is a range of its index. */
function rowsOf(table: SQL, columns: SQL, parts: readonly SumPart[], where: SQL): SQL {
  const of = ({ bucket_seconds, since, until }: SumPart) => sql`
    select ${columns} from ${table} as t where t.bucket_seconds = ${bucket_seconds}
      and t.bucket_at >= ${iso(since)}::timestamptz and t.bucket_at < ${iso(until)}::timestamptz and ${where}`;
  return sql.join(parts.map(of), sql` union all `);
}

const ofCluster = (clusterId: string | undefined): SQL =>
  clusterId === undefined ? sql`true` : sql`t.cluster_id = ${clusterId}::uuid`;

export type Talkers = Pick<TopTalkers, 'as_of' | 'items' | 'sums'>;

type TalkerRow = TopTalker['workload'] &
  Omit<TopTalker, 'workload'> & { as_of: string } & {
    [K in keyof TopTalkers['sums'] as `all_${K}`]: TopTalkers['sums'][K];
  };

const SUMS = ['bytes_in', 'bytes_out', 'packets', 'flows'] as const;
const list = (write: (name: string) => string): SQL => raw(SUMS.map(write).join(', '));

/**
 * The guests with the most bytes and the sums of all, in one query.
 * @param rows rows with `workload_id` and the sums, of guests within reach or more
 * @param asOf SQL of the moment up to which they are complete, in the same snapshot
 */
async function rank(rows: SQL, { tenants, cluster_id }: TrafficSelection, limit: number, asOf: SQL): Promise<Talkers> {
  const [first, ...rest] = await db.execute<TalkerRow | (TalkerRow & { id: null })>(sql`
    with summed as materialized (
      select s.*, ${workloads.id} as id, ${workloads.name}, ${workloads.vmid}, ${workloads.kind}, ${workloads.cluster_id}
      from (select workload_id, ${list((name) => `sum(${name}) as ${name}`)} from (${rows}) as r group by workload_id) as s
      join ${workloads} on ${workloads.id} = s.workload_id
      where ${workloadInReach(tenants) ?? sql`true`}
        and ${cluster_id === undefined ? sql`true` : sql`${workloads.cluster_id} = ${cluster_id}::uuid`}),
    everything as (
      select count(*)::int as all_workloads, ${list((name) => `sum(${name})::float8 as all_${name}`)} from summed),
    top as (select * from summed order by bytes_in + bytes_out desc, id limit ${limit})
    select to_char(${asOf} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as as_of, everything.*,
      top.id, top.name, top.vmid, top.kind, top.cluster_id, ${clusters.name} as cluster_name,
      ${list((name) => `top.${name}::float8 as ${name}`)}
    from everything left join top on true left join ${clusters} on ${clusters.id} = top.cluster_id
    order by top.bytes_in + top.bytes_out desc, top.id`);
  if (!first) throw new Error('a sum has no row');
  return {
    as_of: first.as_of,
    items: [first, ...rest]
      .filter((row) => row.id !== null)
      .map(({ id, name, vmid, kind, cluster_id: cluster, cluster_name, bytes_in, bytes_out, packets, flows }) => ({
        workload: { id, name, vmid, kind, cluster_id: cluster, cluster_name },
        bytes_in,
        bytes_out,
        packets,
        flows,
      })),
    sums: {
      workloads: first.all_workloads,
      bytes_in: first.all_bytes_in ?? 0,
      bytes_out: first.all_bytes_out ?? 0,
      packets: first.all_packets ?? 0,
      flows: first.all_flows,
    },
  };
}

/** The guests within reach with the most traffic, by flows. One query. */
export async function findTalkersByFlows(
  selection: TrafficSelection,
  parts: readonly SumPart[],
  limit: number,
): Promise<Talkers> {
  const { tenants, cluster_id, since, until } = selection;
  const inReach = workloadInReach(tenants);
  const where = sql`${ofCluster(cluster_id)} and ${
    inReach ? sql`t.workload_id in (select ${workloads.id} from ${workloads} where ${inReach})` : sql`true`
  }`;
  const columns = raw('t.workload_id, t.bytes_in, t.bytes_out, t.packets_in + t.packets_out as packets, t.flows');
  const talkers = await rank(
    rowsOf(sql`${trafficByWorkload}`, columns, parts, where),
    selection,
    limit,
    completeUntil(since, until),
  );
  return { ...talkers, sums: { ...talkers.sums, flows: talkers.sums.flows ?? 0 } };
}

/**
 * The same by the counters of their network cards, which agents send while they have no flows; those from before `cutoff` are
 * expired. One query.
 */
export function findTalkersByCounters(selection: TrafficSelection, cutoff: string, limit: number): Promise<Talkers> {
  const { since, until } = selection;
  const rows = sql`
    select t.workload_id, t.rx_bytes as bytes_in, t.tx_bytes as bytes_out, t.packets, null::bigint as flows
    from ${interfaceTraffic} as t where t.workload_id is not null
      and t.observed_at >= greatest(${since}::timestamptz, ${cutoff}::timestamptz) and t.observed_at < ${until}::timestamptz`;
  return rank(rows, selection, limit, sql`now()`);
}

/** Traffic within reach by bucket and verdict, and up to when it is complete. One query. */
export async function sumTrafficBuckets(
  selection: TrafficSelection,
  parts: readonly SumPart[],
  buckets: { first: string; width: number },
): Promise<{ as_of: string; rows: BucketSum[] }> {
  const { tenants, cluster_id, since, until } = selection;
  const ids = tenants === 'all' ? null : sql`${pgArray(tenants)}::text::uuid[]`;
  const where = sql`${ofCluster(cluster_id)} and ${
    ids ? sql`(t.source_tenant_id = any (${ids}) or t.destination_tenant_id = any (${ids}))` : sql`true`
  }`;
  const columns = raw('t.bucket_at, t.decision, t.bytes, t.packets, t.flows');
  const rows = await db.execute<BucketSum & { as_of: string }>(sql`
    select a.as_of, s.* from (
      select to_char(${completeUntil(since, until)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as as_of) as a
    left join (
      select floor(extract(epoch from bucket_at - ${buckets.first}::timestamptz)::float8 / ${buckets.width}::float8)::int as bucket,
        decision, sum(bytes)::float8 as bytes, sum(packets)::float8 as packets, sum(flows)::float8 as flows
      from (${rowsOf(sql`${trafficTotals}`, columns, parts, where)}) as r group by 1, 2) as s on true`);
  const as_of = rows[0]?.as_of;
  if (!as_of) throw new Error('a moment has no row');
  return { as_of, rows: rows.filter((row) => row.bucket !== null) };
}
