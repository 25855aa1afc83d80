import { planRange } from '@/domain/flow/plan-range';
import type { InsightsTraffic } from '@/domain/insights';
import { flowStore } from '../../traffic/storage/flow-store';
import type { SelectedInsights } from './select-insights';

/** What the workload carried in the range, as every page counts it. One query. */
export async function readWorkloadTraffic(selected: SelectedInsights): Promise<InsightsTraffic> {
  const { selection, range, now, retentionHours } = selected;
  const asked = { since: Date.parse(range.since), until: Date.parse(range.until) };
  const plan = planRange(asked, { now, retentionHours, summed: true });
  const counted = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const source = plan.source === 'hours' ? 'hours' : 'minutes';
  return { source, ...counted, ...(await flowStore().insights.traffic({ ...selection, ...counted }, source)) };
}
