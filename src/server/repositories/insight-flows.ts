import { type SQL, sql } from 'drizzle-orm';
import type { TrafficMode } from '@/domain/insights';
import { type FlowSelection, flowConditions } from './flow-conditions';

/** The flows of one workload: `filter.workload_id` names it. */
export type InsightSelection = FlowSelection & {
  filter: FlowSelection['filter'] & { workload_id: string };
  mode: TrafficMode;
};

/** Whether the other end, or one of two unknown ends, is outside the known subnets. */
const external = (workload: SQL): SQL => sql`case
    when t.source_workload_id = ${workload} then t.destination_cidr is null
    when t.destination_workload_id = ${workload} then t.source_cidr is null
    else t.source_cidr is null or t.destination_cidr is null end`;

function modeCondition(mode: TrafficMode, workload: SQL): SQL | null {
  switch (mode) {
    case 'all':
      return null;
    case 'inbound':
      return sql`t.destination_workload_id = ${workload}`;
    case 'outbound':
      return sql`t.source_workload_id = ${workload}`;
    case 'internal':
      return sql`not (${external(workload)})`;
    case 'external':
      return external(workload);
    case 'denied':
      return sql`t.decision in ('drop', 'reject')`;
  }
}

/**
 * The workload's flows, each once, as rows of `traffic_flows` under the alias `t`. The same packets are seen by the nodes of
 * both ends: what was seen at the workload's own interface stands, else what the other end's node or the newest report says.
 * Rows seen at the workload come first, without anything to wait for. After a migration a conversation has a row of each
 * node, with what each of them saw.
 */
export function insightRows(selection: InsightSelection, columns: SQL): SQL {
  const workload = sql`${selection.filter.workload_id}::uuid`;
  const mode = modeCondition(selection.mode, workload);
  const where = mode === null ? flowConditions(selection) : sql`${flowConditions(selection)} and ${mode}`;
  const own = sql`${where} and t.workload_id = ${workload}`;
  return sql`
    select ${columns} from traffic_flows as t where ${own}
    union all
    (select distinct on (t.flow_key) ${columns} from traffic_flows as t
      where ${where} and t.workload_id is distinct from ${workload}
        and not exists (select from (select t.flow_key as key from traffic_flows as t where ${own}) as own
          where own.key = t.flow_key)
      order by t.flow_key, t.workload_id is null, t.observed_at desc, t.node_id)`;
}
