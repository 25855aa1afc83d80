import type { FlowSeries } from '@/domain/flow/flow-sums';
import { bucketStarts, planRange } from '@/domain/flow/plan-range';
import { spreadFlows } from '@/domain/flow/spread-flows';
import type { InsightsInput } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { sumInsightSpans } from '../../repositories/insight-series';
import { seriesOf } from '../flows/read-flow-series';
import { selectInsights } from './select-insights';

/**
 * A workload's traffic over time by stored verdict, from exactly the flows that are listed: the totals of each are spread
 * evenly over its time. At most four queries.
 * @throws AppError `not_found`, also for a workload out of reach; `malformed` for an empty range
 */
export async function readInsightSeries(scope: Scope<'flow:read'>, input: InsightsInput): Promise<FlowSeries> {
  const { selection, range, now, retentionHours } = await selectInsights(scope, input);
  const asked = { since: Date.parse(range.since), until: Date.parse(range.until) };
  const plan = planRange(asked, { now, retentionHours, summed: false });
  const starts = bucketStarts(plan);
  const iso = (time: number) => new Date(time).toISOString();
  const bounded = { ...selection, since: iso(plan.since), until: iso(plan.until) };
  const spans = await sumInsightSpans(bounded, { first: iso(starts[0] ?? plan.since), width: plan.bucket_seconds });
  return seriesOf(plan, spreadFlows(spans, starts.length));
}
