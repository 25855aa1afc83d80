import { type SQL, sql } from 'drizzle-orm';
import type { SumPart } from '@/domain/flow/plan-sums';
import { db } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { interfaceTraffic } from '../../../db/schema/flows';
import { trafficByWorkload, trafficMarks, trafficTotals, trafficVersion } from '../../../db/schema/traffic';
import { workloads } from '../../../db/schema/workloads';
import type { BucketSum, WorkloadTraffic } from '../flow-rows';
import type { OwnedPeriod, TrafficSelection } from '../flow-selection';

const iso = (time: number) => new Date(time).toISOString();

const raw = (text: string): SQL => sql.raw(text);

/** The rows of parts of a table, one part after the other so that each is a range of its index. */
function selectParts(table: SQL, columns: string, parts: readonly SumPart[], where: SQL = sql`true`): SQL {
  const of = ({ bucket_seconds, since, until }: SumPart) => sql`
    select ${raw(columns)} from ${table} as t where t.bucket_seconds = ${bucket_seconds}
      and t.bucket_at >= ${iso(since)}::timestamptz and t.bucket_at < ${iso(until)}::timestamptz and ${where}`;
  return sql.join(parts.map(of), sql` union all `);
}

/** Totals by workload of rows with `workload_id` and totals, most bytes first. Omits removed workloads. */
async function byWorkload(rows: SQL): Promise<WorkloadTraffic[]> {
  const found = await db.execute<WorkloadTraffic>(sql`
    select s.*, w.cluster_id from (
      select workload_id, sum(bytes_in)::float8 as bytes_in, sum(bytes_out)::float8 as bytes_out,
        sum(packets)::float8 as packets, sum(flows)::float8 as flows
      from (${rows}) as r group by workload_id) as s
    join ${workloads} as w on w.id = s.workload_id
    order by s.bytes_in + s.bytes_out desc, s.workload_id`);
  return [...found];
}

/** What every guest carried by its flows. One query, of some tens of milliseconds. */
export function sumByWorkload(parts: readonly SumPart[]): Promise<WorkloadTraffic[]> {
  const columns = 't.workload_id, t.bytes_in, t.bytes_out, t.packets_in + t.packets_out as packets, t.flows';
  return byWorkload(selectParts(sql`${trafficByWorkload}`, columns, parts));
}

/**
 * The same for workloads that moved between tenants, in whole buckets while they were visible. One query, none without
 * such a workload.
 */
export async function sumOwned(parts: readonly SumPart[], periods: readonly OwnedPeriod[]): Promise<WorkloadTraffic[]> {
  if (parts.length === 0 || periods.length === 0) return [];
  const columns = 't.workload_id, t.bytes_in, t.bytes_out, t.packets_in + t.packets_out as packets, t.flows';
  const owned = sql.join(
    periods.map(
      ({ workload_id, from, to }) => sql`(t.workload_id = ${workload_id}::uuid
        ${from === null ? sql`` : sql`and t.bucket_at >= ${from}::timestamptz`}
        ${to === null ? sql`` : sql`and t.bucket_at + make_interval(secs => t.bucket_seconds) <= ${to}::timestamptz`})`,
    ),
    sql` or `,
  );
  return byWorkload(selectParts(sql`${trafficByWorkload}`, columns, parts, sql`(${owned})`));
}

/**
 * Traffic of every workload by the counters of its interfaces, which agents send while they have no flows. Counters
 * from before `cutoff` are expired. One query.
 */
export function sumCounters(range: { since: string; until: string; cutoff: string }): Promise<WorkloadTraffic[]> {
  const { since, until, cutoff } = range;
  return byWorkload(sql`
    select t.workload_id, t.rx_bytes as bytes_in, t.tx_bytes as bytes_out, t.packets, null::bigint as flows
    from ${interfaceTraffic} as t where t.workload_id is not null and t.observed_at < ${until}::timestamptz
      and t.observed_at >= greatest(${since}::timestamptz, ${cutoff}::timestamptz)`);
}

/** Visible traffic by bucket and verdict. One query. */
export async function sumTrafficBuckets(
  { tenants, cluster_id }: TrafficSelection,
  parts: readonly SumPart[],
  buckets: { first: string; width: number },
): Promise<BucketSum[]> {
  const ids = tenants === 'all' ? null : pgArray('uuid', tenants);
  const where = sql`${cluster_id === undefined ? sql`true` : sql`t.cluster_id = ${cluster_id}::uuid`} and ${
    ids ? sql`(t.source_tenant_id = any (${ids}) or t.destination_tenant_id = any (${ids}))` : sql`true`
  }`;
  const columns = 't.bucket_at, t.decision, t.bytes, t.packets, t.flows';
  const rows = await db.execute<BucketSum>(sql`
    select floor(extract(epoch from bucket_at - ${buckets.first}::timestamptz)::float8 / ${buckets.width}::float8)::int as bucket,
      decision, sum(bytes)::float8 as bytes, sum(packets)::float8 as packets, sum(flows)::float8 as flows
    from (${selectParts(sql`${trafficTotals}`, columns, parts, where)}) as r group by 1, 2`);
  return [...rows];
}

/** The version of the aggregates, and until when they are complete in a range: its oldest mark, or now. One query. */
export async function readTrafficVersion(range: {
  since: string;
  until: string;
}): Promise<{ version: number; as_of: string }> {
  const rows = await db.execute<{ version: number; as_of: string }>(sql`
    select (select max(version) from ${trafficVersion})::float8 as version,
      to_char(coalesce(min(marked_at), now()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as as_of
    from ${trafficMarks} where bucket_at >= ${range.since}::timestamptz and bucket_at < ${range.until}::timestamptz`);
  const [row] = rows;
  if (!row) throw new Error('expected a row of the aggregate');
  return row;
}
