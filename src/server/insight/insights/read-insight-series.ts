import type { FlowSeries } from '@/domain/flow/flow-sums';
import { planRange } from '@/domain/flow/plan-range';
import type { InsightsInput } from '@/domain/insights';
import type { Scope } from '../../auth/scope';
import { readSums } from '../flows/read-flow-series';
import { selectInsights } from './select-insights';

/**
 * A workload's traffic over time by what the firewall log said, as every page counts it. At most four queries.
 * @throws AppError `not_found`, also for a workload out of reach; `malformed` for an empty range
 */
export async function readInsightSeries(scope: Scope<'flow:read'>, input: InsightsInput): Promise<FlowSeries> {
  const { selection, range, now, retentionHours } = await selectInsights(scope, input);
  const asked = { since: Date.parse(range.since), until: Date.parse(range.until) };
  return readSums(selection, planRange(asked, { now, retentionHours, summed: true }));
}
