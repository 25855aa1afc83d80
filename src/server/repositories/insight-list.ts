import { sql } from 'drizzle-orm';
import type { Flow } from '@/domain/flow/flow';
import type { InsightFlowsInput } from '@/domain/insights';
import type { Page } from '@/domain/list';
import { db } from '../db/client';
import { FLOW_ID, FLOW_SORT_KEYS, type FlowRow, labelled, selectFlows } from './flow-list';
import { type InsightSelection, insightRows } from './insight-flows';
import { pageOfRows } from './page-of-rows';

/** A workload's flows page by page, each once. Two queries. */
export function listInsightFlows(selection: InsightSelection, input: InsightFlowsInput): Promise<Page<Flow>> {
  const all = insightRows(selection, sql`t.*`);
  const list = { sorts: FLOW_SORT_KEYS, sort: '-observed_at', id: FLOW_ID };
  return pageOfRows<Flow>(input, list, ({ after, order, limit }) => {
    const by = sql.join(order, sql`, `);
    const page = sql`select t.* from (${all}) as t ${after ? sql`where ${after}` : sql``} order by ${by} limit ${limit}`;
    return {
      rows: db.execute<FlowRow>(sql`${selectFlows(selection, page)} order by ${by}`).then((rows) => rows.map(labelled)),
      total: db
        .execute<{ total: number }>(
          sql`select count(*)::int as total from (${insightRows(selection, sql`t.flow_key`)}) as f`,
        )
        .then((rows) => rows[0]?.total ?? 0),
    };
  });
}
