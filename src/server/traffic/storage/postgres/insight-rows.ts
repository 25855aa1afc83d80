import { type SQL, sql } from 'drizzle-orm';
import type { Flow } from '@/domain/flow/flow';
import type { InsightFlowsInput, TrafficMode } from '@/domain/insights';
import type { Page } from '@/domain/list';
import { db } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { queryPage } from '../../../db/query-page';
import { readSnapshot } from '../../../db/stream-rows';
import { toAsyncGenerator } from '../../../lib/to-async-generator';
import type { FactsRow } from '../flow-rows';
import type { InsightSelection } from '../flow-selection';
import type { FlowInsights } from '../flow-store';
import { flowConditions } from './flow-conditions';
import { addLabels, FLOW_ID, FLOW_SORT_KEYS, type FlowRow, selectFlows } from './flow-list';
import { flowRows } from './visible-rows';

/** Whether the other end, or one of two unknown ends, is outside the known subnets. */
const isExternal = (workload: SQL): SQL => sql`case
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
      return sql`not (${isExternal(workload)})`;
    case 'external':
      return isExternal(workload);
    case 'denied':
      return sql`t.decision in ('drop', 'reject')`;
  }
}

const getWorkloadId = (selection: InsightSelection) => sql`${selection.filter.workload_id}::uuid`;

function buildCondition(selection: InsightSelection): SQL {
  const mode = modeCondition(selection.mode, getWorkloadId(selection));
  return mode === null ? flowConditions(selection) : sql`${flowConditions(selection)} and ${mode}`;
}

/** The flows that were seen at the workload's own interfaces: all of them count. */
export function ownRows(selection: InsightSelection, columns: SQL): SQL {
  return sql`select ${columns} from ${flowRows(selection.periods)} as t
    where ${buildCondition(selection)} and t.workload_id = ${getWorkloadId(selection)}`;
}

/** Whether the flow `t` was seen at the workload in the range, too. Which flows are asked for is looked at in the row that stands. */
function seenAtWorkload(selection: InsightSelection, ownNodes: readonly string[] | undefined): SQL {
  const { cutoff, since, until, filter } = selection;
  const workload = getWorkloadId(selection);
  if (ownNodes === undefined) {
    const own = flowConditions({ ...selection, filter: { workload_id: filter.workload_id } });
    return sql`select from (select t.flow_key as key from ${flowRows(selection.periods)} as t where ${own} and t.workload_id = ${workload}) as o
      where o.key = t.flow_key`;
  }
  return sql`select from ${flowRows(selection.periods)} as o
    where o.node_id = any (${pgArray('uuid', ownNodes)}) and o.flow_key = t.flow_key and o.workload_id = ${workload}
      and o.observed_at >= ${cutoff}::timestamptz and o.observed_at >= ${since}::timestamptz
      ${until === null ? sql`` : sql`and o.first_seen_at < ${until}::timestamptz`}
      and (o.source_workload_id = ${workload} or o.destination_workload_id = ${workload}
        or (o.source_workload_id is null and o.destination_workload_id is null))`;
}

/**
 * The flows that were seen elsewhere only, each once: what the other end's node or the newest report says.
 * @param ownNodes nodes that saw flows at the workload itself, where they are known: much less is looked at then
 */
export function otherRows(selection: InsightSelection, columns: SQL, ownNodes?: readonly string[]): SQL {
  return sql`select distinct on (t.flow_key) ${columns} from ${flowRows(selection.periods)} as t
    where ${buildCondition(selection)} and t.workload_id is distinct from ${getWorkloadId(selection)}
      and not exists (${seenAtWorkload(selection, ownNodes)})
    order by t.flow_key, t.workload_id is null, t.observed_at desc, t.node_id`;
}

/**
 * The workload's flows, each once, as rows of `traffic_flows` under the alias `t`. The same packets are seen by the nodes of
 * both ends: what was seen at the workload's own interface stands. After a migration a conversation has a row of each node,
 * with what each of them saw.
 */
export const insightRows = (selection: InsightSelection, columns: SQL): SQL =>
  sql`${ownRows(selection, columns)} union all (${otherRows(selection, columns)})`;

const FACTS = sql.raw(`t.flow_key, host(t.source_ip) as source_ip, host(t.destination_ip) as destination_ip, t.protocol,
  t.source_port, t.destination_port, t.decision, t.initiator, t.icmp_type, t.icmp_code, t.workload_id, t.nic,
  t.source_workload_id, t.destination_workload_id, t.source_cidr::text as source_cidr,
  t.destination_cidr::text as destination_cidr`);

export const streamFacts: FlowInsights['facts'] = (selection) =>
  toAsyncGenerator((give) =>
    readSnapshot((snapshot) => snapshot.each<FactsRow>(insightRows(selection, FACTS), (rows) => give(rows))),
  );

/** A workload's flows page by page, each once. Two queries. */
export function listInsightFlows(selection: InsightSelection, input: InsightFlowsInput): Promise<Page<Flow>> {
  const all = insightRows(selection, sql`t.*`);
  const list = { sorts: FLOW_SORT_KEYS, sort: '-observed_at', id: FLOW_ID };
  return queryPage<Flow>(input, list, ({ after, order, limit }) => {
    const by = sql.join(order, sql`, `);
    const page = sql`select t.* from (${all}) as t ${after ? sql`where ${after}` : sql``} order by ${by} limit ${limit}`;
    return {
      rows: db
        .execute<FlowRow>(sql`${selectFlows(selection, page)} order by ${by}`)
        .then((rows) => rows.map(addLabels)),
      total: db
        .execute<{ total: number }>(
          sql`select count(*)::int as total from (${insightRows(selection, sql`t.flow_key`)}) as f`,
        )
        .then((rows) => rows[0]?.total ?? 0),
    };
  });
}
