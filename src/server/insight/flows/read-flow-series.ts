import type { FlowSeries, FlowSeriesInput } from '@/domain/flow/flow-sums';
import { bucketStarts, planRange, type RangePlan } from '@/domain/flow/plan-range';
import { linesOf, type SeriesLine, spreadFlows, wholeNumbers } from '@/domain/flow/spread-flows';
import type { TrafficMode } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { type FlowSelection, sumsCanAnswer } from '../../traffic/storage/flow-selection';
import { flowStore } from '../../traffic/storage/flow-store';
import { selectFlows } from './select-flows';

const total = (lists: readonly (readonly number[])[]) =>
  Math.round(lists.flat().reduce((sum, value) => sum + value, 0));

/** Lines of a plan's buckets, with whole numbers and their sums. */
function seriesOf(plan: RangePlan, lines: readonly SeriesLine[]): FlowSeries {
  return {
    source: plan.source,
    since: new Date(plan.since).toISOString(),
    until: new Date(plan.until).toISOString(),
    bucket_seconds: plan.bucket_seconds,
    bucket_at: bucketStarts(plan).map((start) => new Date(start).toISOString()),
    lines: lines.map((line) => ({ ...line, bytes: wholeNumbers(line.bytes), packets: wholeNumbers(line.packets) })),
    sums: {
      bytes: total(lines.map((line) => line.bytes)),
      packets: total(lines.map((line) => line.packets)),
      flows: total(lines.map((line) => line.flows)),
    },
  };
}

/** Traffic of a plan's range over time from its sums. One query. */
export async function readSums(
  selection: FlowSelection & { mode?: TrafficMode },
  plan: RangePlan,
): Promise<FlowSeries> {
  const starts = bucketStarts(plan);
  const iso = (time: number) => new Date(time).toISOString();
  const bounded = { ...selection, since: iso(plan.since), until: iso(plan.until) };
  const buckets = { first: iso(starts[0] ?? plan.since), width: plan.bucket_seconds };
  const rows = await flowStore().series(bounded, plan.source === 'hours' ? 'hours' : 'minutes', buckets);
  const lines = linesOf(rows, starts.length, (line, row) => {
    for (const field of ['bytes', 'packets', 'flows'] as const) line.add(field, row.bucket, row[field]);
  });
  return seriesOf(plan, lines);
}

/** Traffic of the time range within reach over time, by verdict. At most five queries. */
export async function readFlowSeries(scope: Scope<'flow:read'>, input: FlowSeriesInput): Promise<FlowSeries> {
  const { selection, since, until, now, retentionHours } = await selectFlows(scope, input);
  const plan = planRange({ since, until }, { now, retentionHours, summed: sumsCanAnswer(input) });
  if (plan.source !== 'flows') return readSums(selection, plan);
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const starts = bucketStarts(plan).map((start) => new Date(start).toISOString());
  const buckets = { first: starts[0] ?? range.since, width: plan.bucket_seconds };
  return seriesOf(plan, spreadFlows(await flowStore().spans({ ...selection, ...range }, buckets), starts.length));
}
