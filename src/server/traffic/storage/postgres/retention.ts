import { type SQL, sql } from 'drizzle-orm';
import type { Executor } from '../../../db/client';
import { agentEnrolments, agentHeartbeats } from '../../../db/schema/agents';
import { nodes } from '../../../db/schema/clusters';
import { ruleHits, workloadCoverage } from '../../../db/schema/coverage';
import {
  flowRollupHours,
  flowRollupMinutes,
  flowUnresolvedMinutes,
  interfaceSamples,
  interfaceTraffic,
  trafficFlows,
  unconfirmedFlows,
} from '../../../db/schema/flows';
import { workloadPlacements } from '../../../db/schema/workloads';
import { marking } from './marks';

/** Tables whose rows expire, with the time by which they do. */
const AGED = {
  traffic_flows: { table: trafficFlows, at: 'observed_at' },
  unconfirmed_flows: { table: unconfirmedFlows, at: 'observed_at' },
  workload_placements: { table: workloadPlacements, at: 'left_at' },
  flow_rollup_minutes: { table: flowRollupMinutes, at: 'bucket_at' },
  flow_rollup_hours: { table: flowRollupHours, at: 'bucket_at' },
  flow_unresolved_minutes: { table: flowUnresolvedMinutes, at: 'bucket_at' },
  interface_samples: { table: interfaceSamples, at: 'observed_at' },
  interface_traffic: { table: interfaceTraffic, at: 'observed_at' },
  agent_heartbeats: { table: agentHeartbeats, at: 'received_at' },
  agent_enrolments: { table: agentEnrolments, at: 'expires_at' },
  rule_hits: { table: ruleHits, at: 'day' },
  workload_coverage: { table: workloadCoverage, at: 'day' },
} as const;

export type AgedTable = keyof typeof AGED;

/** Pages of a table, from `from` up to but not including `to`. */
export type Pages = { from: number; to: number };

/** The number of pages of a table that has rows from before `cutoff`, else 0: the index on the time mostly knows. */
export async function countPagesWithAged(executor: Executor, name: AgedTable, cutoff: string): Promise<number> {
  const { table, at } = AGED[name];
  const rows = await executor.execute<{ pages: number }>(sql`
    select (pg_relation_size(${name}::regclass) / current_setting('block_size')::int)::int as pages
    where exists (select 1 from ${table} where ${sql.identifier(at)} < ${cutoff}::timestamptz)`);
  return rows[0]?.pages ?? 0;
}

/**
 * Where the rows from before `cutoff` in some pages are, locked. Rows that somebody else is writing are left for the next
 * time, so that neither waits for the other. Reading page after page never meets what was deleted before a second time.
 */
export function agedRows(name: AgedTable, cutoff: string, pages: Pages): SQL {
  const { table, at } = AGED[name];
  return sql`array(select ctid from ${table}
    where ctid >= ${`(${pages.from},0)`}::tid and ctid < ${`(${pages.to},0)`}::tid
      and ${sql.identifier(at)} < ${cutoff}::timestamptz
    for update skip locked)`;
}

/** Deletes the rows from before `cutoff` in some pages of a table. @returns how many went */
export async function deleteAged(executor: Executor, name: AgedTable, cutoff: string, pages: Pages): Promise<number> {
  const rows = await executor.execute<{ gone: number }>(sql`
    with gone as (delete from ${AGED[name].table} where ctid = any (${agedRows(name, cutoff, pages)}) returning 1)
    select count(*)::int as gone from gone`);
  return rows[0]?.gone ?? 0;
}

const OF_NODES = {
  traffic_flows: trafficFlows,
  flow_rollup_minutes: flowRollupMinutes,
  flow_rollup_hours: flowRollupHours,
  flow_unresolved_minutes: flowUnresolvedMinutes,
  interface_samples: interfaceSamples,
  interface_traffic: interfaceTraffic,
} as const;

export type NodeTable = keyof typeof OF_NODES;

export const NODE_TABLES = Object.keys(OF_NODES) as NodeTable[];

/** Nodes that have rows in the table and do not exist any more. Jumps from node to node through the primary key. */
export async function findGoneNodes(executor: Executor, name: NodeTable): Promise<string[]> {
  const table = OF_NODES[name];
  const rows = await executor.execute<{ node_id: string }>(sql`
    with recursive present as (
      (select node_id from ${table} order by node_id limit 1)
      union all
      select (select t.node_id from ${table} as t where t.node_id > present.node_id order by t.node_id limit 1)
      from present where present.node_id is not null)
    select node_id from present
    where node_id is not null and not exists (select 1 from ${nodes} where nodes.id = present.node_id)`);
  return rows.map((row) => row.node_id);
}

/** Tables from which sums of traffic are made. */
const SUMMED: readonly NodeTable[] = ['flow_rollup_minutes', 'flow_rollup_hours'];

/** Deletes up to `limit` rows of a node, and marks the sums that were made from them. @returns how many went */
export async function deleteOfNode(
  executor: Executor,
  name: NodeTable,
  nodeId: string,
  limit: number,
): Promise<number> {
  const table = OF_NODES[name];
  const rows = await executor.execute<{ gone: number }>(sql`
    with gone as (
      delete from ${table} where ctid = any (array(
        select ctid from ${table} where node_id = ${nodeId}::uuid limit ${limit} for update skip locked))
      returning *)${SUMMED.includes(name) ? sql`, marked as (${marking(sql`gone`)})` : sql``}
    select count(*)::int as gone from gone`);
  return rows[0]?.gone ?? 0;
}
