import { type AnyColumn, and, asc, count, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { FaultyNode, LastSync, SilentAgent } from '@/domain/dashboard/dashboard';
import type { MonitoredPlace } from '@/domain/dashboard/monitoring';
import type { Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { rowStamp } from '../../db/row-stamp';
import { clusters, nodeAgents, nodes } from '../../db/schema/clusters';
import { ipamConflicts } from '../../db/schema/ipam';
import { syncRuns } from '../../db/schema/operations';
import { workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

/** Nodes and clusters where workloads of the reach are; all of them with reach `all`. */
function placeInReach(tenants: Reach, place: SQL): SQL | undefined {
  const reach = workloadInReach(tenants);
  return reach && sql`exists (select 1 from ${workloads} where ${place} and ${reach})`;
}
const nodeInReach = (tenants: Reach) => placeInReach(tenants, eq(workloads.node_id, nodes.id));
const clusterInReach = (tenants: Reach) => placeInReach(tenants, eq(workloads.cluster_id, clusters.id));

const isSilent = eq(nodeAgents.status, 'silent');
const running = (tenants: Reach) =>
  and(
    eq(workloads.status, 'running'),
    eq(workloads.template, false),
    isNull(workloads.missing_since),
    workloadInReach(tenants),
  );

export type TroubledNode = Omit<FaultyNode, 'fault'> &
  Omit<SilentAgent, keyof FaultyNode> & { fault: string | null; silent: boolean };

/** Nodes that are faulty, `failing`, or have a stale agent, with the visible running workloads. One query. */
export async function listTroubledNodes(tenants: Reach, failing: readonly string[]): Promise<TroubledNode[]> {
  return db
    .select({
      node_id: nodes.id,
      node_name: nodes.name,
      cluster_id: nodes.cluster_id,
      cluster_name: clusters.name,
      status: nodes.status,
      fault: nodes.fault,
      missing_since: nodes.missing_since,
      silent: sql<boolean>`coalesce(${isSilent}, false)`,
      agent_version: nodeAgents.agent_version,
      last_heartbeat_at: nodeAgents.last_heartbeat_at,
      interval_seconds: nodeAgents.interval_seconds,
      workloads_running: sql<number>`(select count(*)::int from ${workloads}
        where ${and(eq(workloads.node_id, nodes.id), running(tenants))})`,
    })
    .from(nodes)
    .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(and(or(isNotNull(nodes.fault), isSilent, inArray(nodes.id, [...failing])), nodeInReach(tenants)))
    .orderBy(asc(clusters.name), asc(nodes.name));
}

/** Changes whenever a cluster, a node, an address conflict or the state of an agent does. One query. */
export async function readOperationsStamp(): Promise<string> {
  const agents = sql`(select md5(string_agg(concat_ws(' ', node_id, status), ',' order by node_id)) from ${nodeAgents})`;
  const parts = [...[clusters, nodes, ipamConflicts].map(rowStamp), agents];
  const [row] = await db.execute<{ stamp: string }>(sql`select concat_ws('/', ${sql.join(parts, sql`, `)}) as stamp`);
  return row?.stamp ?? '';
}

/** How many nodes there are by the state of their agent; null: without one. One query. */
export function countAgentStates(
  tenants: Reach,
): Promise<{ status: typeof nodeAgents.$inferSelect.status | null; nodes: number }[]> {
  return db
    .select({ status: nodeAgents.status, nodes: count() })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(nodeInReach(tenants))
    .groupBy(nodeAgents.status);
}

export type RunningPlace = Pick<MonitoredPlace, 'node_id' | 'workloads' | 'interval_seconds'> & {
  /** null: no agent, or no known node. */
  status: typeof nodeAgents.$inferSelect.status | null;
};

/** How many running workloads there are on each node, with the state of its agent. One query. */
export function countRunningByNode(tenants: Reach): Promise<RunningPlace[]> {
  const { status, interval_seconds } = nodeAgents;
  return db
    .select({ node_id: workloads.node_id, status, interval_seconds, workloads: count() })
    .from(workloads)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, workloads.node_id))
    .where(running(tenants))
    .groupBy(workloads.node_id, status, interval_seconds);
}

const time = (column: AnyColumn) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const counted = (name: 'created' | 'changed' | 'removed' | 'errors') =>
  sql`(select coalesce(sum((stage.value ->> ${name})::int), 0) from jsonb_each(${syncRuns.counters}) as stage)`;

const newestRun = (kind: 'inventory' | 'ipam') => sql<LastSync['inventory']>`(select json_build_object(
  'run_id', ${syncRuns.id}, 'status', ${syncRuns.status}, 'trigger', ${syncRuns.trigger},
  'created_at', ${time(syncRuns.created_at)}, 'started_at', ${time(syncRuns.started_at)},
  'finished_at', ${time(syncRuns.finished_at)}, 'created', ${counted('created')}, 'changed', ${counted('changed')},
  'removed', ${counted('removed')}, 'errors', ${counted('errors')})
  from ${syncRuns} where ${and(eq(syncRuns.cluster_id, clusters.id), eq(syncRuns.kind, kind))}
  order by ${syncRuns.created_at} desc, ${syncRuns.id} desc limit 1)`;

/** Clusters with their newest runs, those with a failed sync first. One query. */
export function listLastSyncs(tenants: Reach): Promise<LastSync[]> {
  return db
    .select({
      cluster_id: clusters.id,
      cluster_name: clusters.name,
      sync_status: clusters.sync_status,
      last_sync_at: clusters.last_sync_at,
      last_sync_error: clusters.last_sync_error,
      last_sync_error_code: clusters.last_sync_error_code,
      missing_write_privileges: clusters.missing_write_privileges,
      inventory: newestRun('inventory'),
      ipam: newestRun('ipam'),
    })
    .from(clusters)
    .where(clusterInReach(tenants))
    .orderBy(sql`${clusters.sync_status} <> 'failed'`, asc(clusters.name));
}

/** How much there is: of the installation, and of visible workloads. One query. */
export async function countInventory(
  tenants: Reach,
): Promise<{ clusters: number; nodes: number; workloads: number; workloads_running: number }> {
  const number = (from: SQL) => sql`(select count(*)::int from ${from})`;
  const among = (table: typeof nodes | typeof clusters, where: SQL | undefined) =>
    number(where ? sql`${table} where ${where}` : sql`${table}`);
  const own = and(eq(workloads.template, false), isNull(workloads.missing_since), workloadInReach(tenants));
  const rows = await db.execute<{ clusters: number; nodes: number; workloads: number; workloads_running: number }>(sql`
    select ${among(clusters, clusterInReach(tenants))} as clusters, ${among(nodes, nodeInReach(tenants))} as nodes,
      ${number(sql`${workloads} where ${own}`)} as workloads,
      ${number(sql`${workloads} where ${running(tenants)}`)} as workloads_running`);
  const [row] = rows;
  if (!row) throw new Error('expected a row of counts');
  return row;
}

/** Visible workloads on nodes whose agent reports now. One query. */
export async function listWatchedWorkloads(tenants: Reach): Promise<ReadonlySet<string>> {
  const rows = await db
    .select({ id: workloads.id })
    .from(workloads)
    .innerJoin(nodeAgents, eq(nodeAgents.node_id, workloads.node_id))
    .where(and(inArray(nodeAgents.status, ['ok', 'degraded']), workloadInReach(tenants)));
  return new Set(rows.map(({ id }) => id));
}
