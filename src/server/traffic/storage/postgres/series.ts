import { type SQL, sql } from 'drizzle-orm';
import type { FlowSpan } from '@/domain/flow/spread-flows';
import { db } from '../../../db/client';
import type { BucketSum, WorkloadTrafficSums } from '../flow-rows';
import type { BoundedSelection, RollupSelection } from '../flow-selection';
import { countedFlows } from './flow-conditions';
import { countedRollups } from './rollup-conditions';

/** The number of the bucket, counted from `first`, in which a time lies. */
const toBucketIndex = (time: SQL, first: string, width: number): SQL =>
  sql`floor(extract(epoch from ${time} - ${first}::timestamptz)::float8 / ${width}::float8)::int`;

/** Totals per bucket and verdict from minute or hour rollups; each conversation counts once. One query. */
export async function sumBuckets(
  selection: RollupSelection,
  source: 'minutes' | 'hours',
  buckets: { first: string; width: number },
): Promise<BucketSum[]> {
  const rows = await db.execute<BucketSum>(sql`
    select ${toBucketIndex(sql.raw('bucket_at'), buckets.first, buckets.width)} as bucket, decision,
      sum(bytes)::float8 as bytes, sum(packets)::float8 as packets, sum(flows)::float8 as flows
    from (${countedRollups(selection, source)}) as t where t.counted group by 1, 2`);
  return [...rows];
}

/**
 * Flows by the buckets in which they begin and end and their verdict, with the parts of their totals that fall into the
 * first, each middle and the last of these buckets; what several nodes reported counts once. One query and one pass over the flows, however many buckets there are.
 */
export async function sumSpans(
  selection: BoundedSelection,
  buckets: { first: string; width: number },
): Promise<FlowSpan[]> {
  const { since, until } = selection;
  const { first, width } = buckets;
  const end = (bucket: string) =>
    sql`(${first}::timestamptz + make_interval(secs => ${sql.raw(bucket)} * ${width}::float8))`;
  const seconds = (from: SQL, to: SQL) => sql`extract(epoch from ${to} - ${from})::float8`;
  const parts = ['head', 'middle', 'tail'] as const;
  const sums = sql.raw(
    ['bytes', 'packets']
      .flatMap((name) => parts.map((part) => `coalesce(sum(${name} * ${part}), 0)::float8 as ${part}_${name}`))
      .join(', '),
  );
  const spans = await db.execute<FlowSpan>(sql`
    select from_bucket, to_bucket, decision, ${sums}, count(*) filter (where began)::float8 as flows
    from (
      select b.*, t.decision, t.bytes, t.packets, t.first_seen_at >= ${since}::timestamptz as began,
        case when b.life <= 0 then 1
          when b.from_bucket = b.to_bucket then ${seconds(sql.raw('b.from_at'), sql.raw('b.to_at'))} / b.life
          else ${seconds(sql.raw('b.from_at'), end('(b.from_bucket + 1)'))} / b.life end as head,
        case when b.life > 0 then ${width}::float8 / b.life else 0 end as middle,
        case when b.life > 0 and b.to_bucket > b.from_bucket
          then ${seconds(end('b.to_bucket'), sql.raw('b.to_at'))} / b.life else 0 end as tail
      from (${countedFlows(selection)}) as t
      cross join lateral (select greatest(t.first_seen_at, ${since}::timestamptz) as from_at,
        least(t.observed_at, ${until}::timestamptz) as to_at) as c
      cross join lateral (select c.*, ${seconds(sql.raw('t.first_seen_at'), sql.raw('t.observed_at'))} as life,
        ${toBucketIndex(sql.raw('c.from_at'), first, width)} as from_bucket,
        ${toBucketIndex(sql.raw('c.to_at'), first, width)} as to_bucket) as b
      where t.counted) as spans
    group by from_bucket, to_bucket, decision`);
  return [...spans];
}

/** What the workload in `filter.workload_id` carried in the range; each conversation counts once. One query. */
export async function sumWorkloadTraffic(
  selection: RollupSelection & { filter: { workload_id: string } },
  source: 'minutes' | 'hours',
): Promise<WorkloadTrafficSums> {
  const workload = sql`${selection.filter.workload_id}::uuid`;
  const [row] = await db.execute<WorkloadTrafficSums>(sql`
    select coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(packets), 0)::float8 as packets,
      coalesce(sum(flows), 0)::float8 as flows,
      coalesce(sum(bytes) filter (where destination_workload_id = ${workload}), 0)::float8 as bytes_in,
      coalesce(sum(bytes) filter (where source_workload_id = ${workload}), 0)::float8 as bytes_out
    from (${countedRollups(selection, source)}) as t where t.counted`);
  if (!row) throw new Error('expected a row of totals');
  return row;
}
