import { type SQL, sql } from 'drizzle-orm';
import { COVERAGE_DAYS } from '@/domain/coverage';
import { HOURLY_HOURS, minuteCutoff } from '@/domain/flow/plan-range';
import { SUM_SECONDS } from '@/domain/flow/plan-sums';
import { type Aged, agedRows, deleteAged, processAgedRows } from '../../../db/aged-rows';
import { db, type Executor, type Tx } from '../../../db/client';
import { nodes } from '../../../db/schema/clusters';
import { ruleHits, workloadCoverage } from '../../../db/schema/coverage';
import { flowEstimates } from '../../../db/schema/flow-exporters';
import {
  flowRollupHours,
  flowRollupMinutes,
  flowUnresolvedMinutes,
  interfaceSamples,
  interfaceTraffic,
  trafficConversations,
  trafficFlows,
  unconfirmedFlows,
} from '../../../db/schema/flows';
import type { FlowUpkeep } from '../flow-store';
import { deleteHourTotals } from './hour-totals';
import { buildMarkInsert } from './hours-to-sum';
import { AGED_MINUTES, moveMinutesToHours } from './minutes';
import { resumConversations } from './store-conversations';
import { retireOwners } from './traffic-owners';
import { deleteOldestSums } from './traffic-sums';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Rows of a node that is gone of one statement. */
const BATCH_ROWS = 5_000;
/** Counters of interfaces are kept as long as flows, but no longer than a week: there is a row for every heartbeat. */
const INTERFACE_HOURS = 7 * DAY_HOURS;
const SPARE_HOURS = 2;

const OF_NODES = {
  traffic_flows: trafficFlows,
  flow_rollup_minutes: flowRollupMinutes,
  flow_rollup_hours: flowRollupHours,
  flow_unresolved_minutes: flowUnresolvedMinutes,
  interface_samples: interfaceSamples,
  interface_traffic: interfaceTraffic,
} as const;

type NodeTable = keyof typeof OF_NODES;

const NODE_TABLES = Object.keys(OF_NODES) as NodeTable[];

/** Nodes that have rows in the table and do not exist any more. Jumps from node to node through the primary key. */
async function findDeletedNodes(executor: Executor, name: NodeTable): Promise<string[]> {
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

/** Tables from which traffic aggregates are computed. */
const SUMMED: readonly NodeTable[] = ['flow_rollup_minutes', 'flow_rollup_hours'];

/** Deletes up to `limit` rows of a node and marks the aggregates made from them. @returns how many were deleted */
async function deleteNodeRows(executor: Executor, name: NodeTable, nodeId: string, limit: number): Promise<number> {
  const table = OF_NODES[name];
  const ctids = sql`array(select ctid from ${table} where node_id = ${nodeId}::uuid limit ${limit} for update skip locked)`;
  if (name === 'traffic_flows') return db.transaction((tx) => deleteFlows(tx, ctids, null));
  const rows = await executor.execute<{ gone: number }>(sql`
    with gone as (
      delete from ${table} where ctid = any (${ctids}) returning *)${SUMMED.includes(name) ? sql`, marked as (${buildMarkInsert(sql`gone`)})` : sql``}
    select count(*)::int as gone from gone`);
  return rows[0]?.gone ?? 0;
}

/**
 * Deletes flows, and what their conversations had of them.
 * @param ctids where they are, locked
 * @param cutoff conversations that were last seen before expire as a whole; null: none do
 */
async function deleteFlows(tx: Tx, ctids: SQL, cutoff: string | null): Promise<number> {
  const rows = await tx.execute<{ gone: number; ids: string | null }>(sql`
    with gone as (delete from ${trafficFlows} where ctid = any (${ctids}) returning conversation_id)
    select (select count(*)::int from gone) as gone,
      (select string_agg(c.id::text, ',') from ${trafficConversations} as c
        where c.id in (select conversation_id from gone) ${cutoff === null ? sql`` : sql`and c.last_seen_at >= ${cutoff}::timestamptz`}) as ids`);
  await resumConversations(tx, rows[0]?.ids?.split(',') ?? [], cutoff !== null);
  return rows[0]?.gone ?? 0;
}

/**
 * Deletes traffic aggregates that are older than the longest range read from them. Five-minute buckets stay some hours
 * longer than minutes, because a process whose clock is behind may still ask for them.
 */
async function deleteSums(now: number, signal: AbortSignal | undefined): Promise<number> {
  let total = await deleteHourTotals(new Date(minuteCutoff(now) - SPARE_HOURS * HOUR_MS).toISOString());
  const cutoffs = [
    { bucket_seconds: SUM_SECONDS.fine, before: minuteCutoff(now) - SPARE_HOURS * HOUR_MS },
    { bucket_seconds: SUM_SECONDS.hour, before: now - HOURLY_HOURS * HOUR_MS },
  ];
  for (const name of ['traffic_by_workload', 'traffic_totals'] as const) {
    for (const { bucket_seconds, before } of cutoffs) {
      for (let after = new Date(0).toISOString(); ; ) {
        signal?.throwIfAborted();
        const range = { bucket_seconds, after, before: new Date(before).toISOString() };
        const bucket = await deleteOldestSums(db, name, range);
        if (!bucket) break;
        total += bucket.gone;
        after = bucket.bucket_at;
      }
    }
  }
  return total;
}

/** Deletes what a node that is gone has left in a table. */
async function deleteNodeData(table: NodeTable, nodeId: string, signal: AbortSignal | undefined): Promise<number> {
  for (let total = 0; ; ) {
    signal?.throwIfAborted();
    const gone = await deleteNodeRows(db, table, nodeId, BATCH_ROWS);
    total += gone;
    if (gone < BATCH_ROWS) return total;
  }
}

const ago = (now: number, hours: number) => new Date(now - hours * HOUR_MS).toISOString();

/** Deletes what is expired of all but flows and their totals by the minute and hour, which an engine keeps in its own way. */
export async function retainOthers(
  { now, flow_hours }: { now: number; flow_hours: number },
  signal: AbortSignal | undefined,
) {
  const aged = (table: Aged['table'], at: string, hours: number) => deleteAged({ table, at }, ago(now, hours), signal);
  const interfaceHours = Math.min(flow_hours, INTERFACE_HOURS);
  const done = {
    unconfirmed_flows: await aged(unconfirmedFlows, 'observed_at', flow_hours),
    // An hour stays until all of it is expired.
    flow_estimates: await aged(flowEstimates, 'bucket_at', flow_hours + 1),
    interface_samples: await aged(interfaceSamples, 'observed_at', interfaceHours),
    interface_traffic: await aged(interfaceTraffic, 'observed_at', interfaceHours),
    rule_hits: await aged(ruleHits, 'day', COVERAGE_DAYS * DAY_HOURS),
    workload_coverage: await aged(workloadCoverage, 'day', COVERAGE_DAYS * DAY_HOURS),
    traffic_sums: await deleteSums(now, signal),
  };
  await retireOwners(db, new Date(now).toISOString(), ago(now, HOURLY_HOURS));
  return done;
}

/** Deletes what nodes that are gone have left in some tables. */
export async function deleteGoneNodes(tables: readonly NodeTable[], signal: AbortSignal | undefined): Promise<number> {
  let total = 0;
  for (const table of tables) {
    for (const nodeId of await findDeletedNodes(db, table)) total += await deleteNodeData(table, nodeId, signal);
  }
  return total;
}

/** In small statements that never wait for locks, so heartbeats never wait for them. */
export const retain: FlowUpkeep['retain'] = async ({ now, flow_hours }, signal) => {
  const minutesUntil = new Date(minuteCutoff(now)).toISOString();
  const toHours = () =>
    processAgedRows(AGED_MINUTES, minutesUntil, (pages) => moveMinutesToHours(db, minutesUntil, pages), signal);
  const flowsUntil = ago(now, flow_hours);
  const flows: Aged = { table: trafficFlows, at: 'observed_at' };
  return {
    traffic_flows: await processAgedRows(
      flows,
      flowsUntil,
      (pages) => db.transaction((tx) => deleteFlows(tx, agedRows(flows, flowsUntil, pages), flowsUntil)),
      signal,
    ),
    // After their flows.
    traffic_conversations: await deleteAged({ table: trafficConversations, at: 'last_seen_at' }, flowsUntil, signal),
    minutes_moved: await toHours(),
    flow_unresolved_minutes: await deleteAged({ table: flowUnresolvedMinutes, at: 'bucket_at' }, minutesUntil, signal),
    flow_rollup_hours: await deleteAged({ table: flowRollupHours, at: 'bucket_at' }, ago(now, HOURLY_HOURS), signal),
    ...(await retainOthers({ now, flow_hours }, signal)),
    rows_of_gone_nodes: await deleteGoneNodes(NODE_TABLES, signal),
  };
};
