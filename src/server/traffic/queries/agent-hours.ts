import { and, asc, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import { db, type Tx } from '../../db/client';
import { agentHours } from '../../db/schema/agents';
import { nodeAgents, nodes } from '../../db/schema/clusters';
import { workloadPlacements, workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';
import type { OwnedPeriod } from '../storage/flow-selection';
import { ownedPeriods, toOwnedPeriods } from './flow-reach';

export type AgentHourRow = typeof agentHours.$inferSelect;

const COUNTS = [
  'heartbeats',
  'flows_seen',
  'flows_left_out',
  'flows_rejected',
  'packets_seen',
  'packets_lost',
  'log_lines',
  'log_lines_lost',
] as const;
const SPANS = ['reported', 'captured', 'tracked'] as const;

const added = Object.fromEntries(
  [...COUNTS, ...SPANS].map((name) => [name, sql`${agentHours[name]} + excluded.${sql.identifier(name)}`]),
);

/** Adds what a heartbeat covers to the hours of its node, in any order. One statement. */
export async function addAgentHours(tx: Tx, rows: readonly AgentHourRow[]): Promise<void> {
  await tx
    .insert(agentHours)
    .values([...rows])
    .onConflictDoUpdate({
      target: [agentHours.node_id, agentHours.hour_at],
      set: {
        ...added,
        interval_seconds: sql`greatest(${agentHours.interval_seconds}, excluded.interval_seconds)`,
      },
    });
}

type Hours = { since: string; until: string };

const buildHoursCondition = (nodeIds: readonly string[], { since, until }: Hours) =>
  and(inArray(agentHours.node_id, [...nodeIds]), gte(agentHours.hour_at, since), lt(agentHours.hour_at, until));

export type CoveredNode = Pick<AgentHourRow, 'node_id' | 'interval_seconds' | (typeof SPANS)[number]>;

/** The time that heartbeats of nodes cover, by their interval, of the hours that begin in a range. One query. */
export async function listCoveredTime(nodeIds: readonly string[], range: Hours): Promise<CoveredNode[]> {
  if (nodeIds.length === 0) return [];
  const { node_id, interval_seconds, reported, captured, tracked } = agentHours;
  return db
    .select({
      node_id,
      interval_seconds,
      reported: sql`range_agg(${reported})`.mapWith(reported),
      captured: sql`range_agg(${captured})`.mapWith(captured),
      tracked: sql`range_agg(${tracked})`.mapWith(tracked),
    })
    .from(agentHours)
    .where(buildHoursCondition(nodeIds, range))
    .groupBy(node_id, interval_seconds);
}

export type LossyHour = Pick<AgentHourRow, 'node_id' | 'hour_at' | Exclude<(typeof COUNTS)[number], 'heartbeats'>>;

/** The hours of nodes in which something was lost, of those that begin in a range. One query. */
export async function listLossyHours(nodeIds: readonly string[], range: Hours): Promise<LossyHour[]> {
  if (nodeIds.length === 0) return [];
  const { node_id, hour_at, flows_seen, flows_left_out, flows_rejected } = agentHours;
  const { packets_seen, packets_lost, log_lines, log_lines_lost } = agentHours;
  return db
    .select({
      node_id,
      hour_at,
      flows_seen,
      flows_left_out,
      flows_rejected,
      packets_seen,
      packets_lost,
      log_lines,
      log_lines_lost,
    })
    .from(agentHours)
    .where(
      and(
        buildHoursCondition(nodeIds, range),
        sql`${flows_left_out} + ${flows_rejected} + ${packets_lost} + ${log_lines_lost} > 0`,
      ),
    );
}

export type AgentStart = { node_id: string; agent_since: string | null };

/** When agents were first there: null for nodes that never had one. One query. */
export async function listAgentStarts(nodeIds: readonly string[]): Promise<AgentStart[]> {
  if (nodeIds.length === 0) return [];
  return db
    .select({
      node_id: nodes.id,
      agent_since: sql<string | null>`least(${nodeAgents.enrolled_at},
        (select min(h.hour_at) from ${agentHours} as h where h.node_id = ${nodes.id}))`.mapWith(nodeAgents.enrolled_at),
    })
    .from(nodes)
    .leftJoin(nodeAgents, sql`${nodeAgents.node_id} = ${nodes.id}`)
    .where(inArray(nodes.id, [...nodeIds]));
}

export type PlacedWorkload = Pick<typeof workloads.$inferSelect, 'id' | 'name' | 'node_id' | 'created_at'>;

/** Those of the workloads that are visible, with the node each is on. One query. */
export async function listPlacedWorkloads(reach: Reach, ids: readonly string[]): Promise<PlacedWorkload[]> {
  if (ids.length === 0) return [];
  const { id, name, node_id, created_at } = workloads;
  return db
    .select({ id, name, node_id, created_at })
    .from(workloads)
    .where(and(inArray(id, [...ids]), workloadInReach(reach)));
}

export type FormerPlace = Pick<
  typeof workloadPlacements.$inferSelect,
  'workload_id' | 'node_id' | 'seen_at' | 'left_at'
>;

/** Where workloads were before, as far as they left after a time; each one's in order. One query. */
export async function listFormerPlacements(ids: readonly string[], since: string): Promise<FormerPlace[]> {
  if (ids.length === 0) return [];
  const { id, workload_id, node_id, seen_at, left_at } = workloadPlacements;
  return db
    .select({ workload_id, node_id, seen_at, left_at })
    .from(workloadPlacements)
    .where(and(inArray(workload_id, [...ids]), gt(left_at, since)))
    .orderBy(asc(left_at), asc(id));
}

/** When workloads were visible that moved between owners after a time. One query, none with reach `all`. */
export async function listOwnedPeriods(reach: Reach, since: string): Promise<OwnedPeriod[]> {
  if (reach === 'all') return [];
  const [row] = await db.execute<{ periods: OwnedPeriod[] }>(sql`select ${ownedPeriods(reach, since)} as periods`);
  return toOwnedPeriods(row?.periods);
}

/** Where the flows of a visible workload come from now, with the diagnostics of the node's newest heartbeat. One query. */
export async function findFlowPath(reach: Reach, workloadId: string) {
  const [row] = await db
    .select({
      cluster_id: workloads.cluster_id,
      vmid: workloads.vmid,
      status: workloads.status,
      node_id: workloads.node_id,
      node_status: nodes.status,
      agent_status: nodeAgents.status,
      diagnostics: sql<unknown>`${nodeAgents.payload} -> 'flow_diagnostics'`,
    })
    .from(workloads)
    .leftJoin(nodes, eq(nodes.id, workloads.node_id))
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, workloads.node_id))
    .where(and(eq(workloads.id, workloadId), workloadInReach(reach)));
  return row ?? null;
}

/** One query. */
export async function findNodeName(nodeId: string): Promise<{ name: string; created_at: string } | null> {
  const [row] = await db
    .select({ name: nodes.name, created_at: nodes.created_at })
    .from(nodes)
    .where(eq(nodes.id, nodeId));
  return row ?? null;
}
