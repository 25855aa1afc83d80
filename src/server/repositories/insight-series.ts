import { sql } from 'drizzle-orm';
import type { FlowSpan } from '@/domain/flow/spread-flows';
import { sumSpans } from './flow-series';
import { type InsightSelection, insightRows } from './insight-flows';

/** As `sumSpans`, of a workload's flows, each once. One query. */
export function sumInsightSpans(
  selection: InsightSelection & { until: string },
  buckets: { first: string; width: number },
): Promise<FlowSpan[]> {
  const columns = sql.raw('t.flow_key, t.decision, t.bytes, t.packets, t.first_seen_at, t.observed_at');
  return sumSpans(selection, buckets, insightRows(selection, columns));
}
