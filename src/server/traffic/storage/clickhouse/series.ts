import type { FlowSpan } from '@/domain/flow/spread-flows';
import type { BucketSum, WorkloadTrafficSums } from '../flow-rows';
import type { FlowInsights, FlowStore } from '../flow-store';
import type { Connection } from './connection';
import { countedFlows } from './flow-conditions';
import { resolvePlaces } from './names';
import { countedRollups } from './rollup-conditions';
import { ch, number, type Part, raw, time, uuid } from './statement';

/** Milliseconds since 1970 of a time that has them. */
const ms = (of: Part): Part => ch`toUnixTimestamp64Milli(${of})`;

/** Totals per bucket and verdict from minute or hour rollups; each conversation counts once. */
export const sumBuckets =
  (connection: Connection): FlowStore['series'] =>
  async (selection, source, { first, width }) =>
    connection.read<BucketSum>(ch`
      select toInt32(floor((toInt64(toUnixTimestamp(t.bucket_at)) * 1000 - ${number(Date.parse(first))}) / ${number(width * 1000)})) as bucket,
        t.decision as decision, sum(t.bytes) as bytes, sum(t.packets) as packets, sum(t.flows) as flows
      from (${await countedRollups(selection, source, { first, width })}) as t where t.counted group by bucket, t.decision`);

/**
 * Flows by the buckets in which they begin and end and their verdict, with the parts of their totals that fall into the
 * first, each middle and the last of these buckets; what several nodes reported counts once.
 */
export const sumSpans =
  (connection: Connection): FlowStore['spans'] =>
  async (selection, { first, width }) => {
    const { since, until } = selection;
    const origin = number(Date.parse(first));
    const size = number(width * 1000);
    const bucket = (of: string) => ch`toInt32(floor((${raw(of)} - ${origin}) / ${size}))`;
    const end = (of: string) => ch`(${origin} + ${raw(of)} * ${size})`;
    const parts = ['head', 'middle', 'tail'] as const;
    const sums = raw(
      ['bytes', 'packets']
        .flatMap((name) => parts.map((part) => `ifNull(sum(p.${name} * p.${part}), 0) as ${part}_${name}`))
        .join(', '),
    );
    return connection.read<FlowSpan>(ch`
      select p.from_bucket as from_bucket, p.to_bucket as to_bucket, p.decision as decision, ${sums}, countIf(p.began) as flows
      from (
        select b.*, multiIf(b.life <= 0, 1, b.from_bucket = b.to_bucket, (b.to_at - b.from_at) / b.life,
            (${end('(b.from_bucket + 1)')} - b.from_at) / b.life) as head,
          if(b.life > 0, ${size} / b.life, 0) as middle,
          if(b.life > 0 and b.to_bucket > b.from_bucket, (b.to_at - ${end('b.to_bucket')}) / b.life, 0) as tail
        from (
          select c.*, ${bucket('c.from_at')} as from_bucket, ${bucket('c.to_at')} as to_bucket
          from (
            select t.decision as decision, t.bytes as bytes, t.packets as packets, t.first_seen_at >= ${time(since)} as began,
              ${ms(ch`greatest(t.first_seen_at, ${time(since)})`)} as from_at, ${ms(ch`least(t.observed_at, ${time(until)})`)} as to_at,
              ${ms(raw('t.observed_at'))} - ${ms(raw('t.first_seen_at'))} as life
            from (${countedFlows(selection, await resolvePlaces(selection))}) as t where t.counted) as c) as b) as p
      group by p.from_bucket, p.to_bucket, p.decision`);
  };

/** What the workload in `filter.workload_id` carried in the range; each conversation counts once. */
export const sumWorkloadTraffic =
  (connection: Connection): FlowInsights['traffic'] =>
  async (selection, source) => {
    const workload = uuid(selection.filter.workload_id);
    const [row] = await connection.read<WorkloadTrafficSums>(ch`
      select sum(t.bytes) as bytes, sum(t.packets) as packets, sum(t.flows) as flows,
        sumIf(t.bytes, t.destination_workload_id = ${workload}) as bytes_in,
        sumIf(t.bytes, t.source_workload_id = ${workload}) as bytes_out
      from (${await countedRollups(selection, source)}) as t where t.counted`);
    if (!row) throw new Error('expected a row of totals');
    return row;
  };
