import { eq, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { agentHeartbeats } from '../../db/schema/agents';
import { nodeAgents } from '../../db/schema/clusters';
import { workloads } from '../../db/schema/workloads';

/** Nodes whose agent has ever reported. */
export async function listReportingNodeIds(executor: Executor): Promise<string[]> {
  const rows = await executor
    .select({ node_id: nodeAgents.node_id })
    .from(nodeAgents)
    .where(sql`${nodeAgents.last_heartbeat_at} is not null`)
    .orderBy(nodeAgents.node_id);
  return rows.map((row) => row.node_id);
}

/**
 * When the oldest flow was last observed of those that heartbeats brought, or that were confirmed, since `received`; `none` when
 * there are none, `unknown` when a heartbeat does not say.
 */
export async function oldestReported(tx: Tx, nodeId: string, received: string): Promise<string | 'none' | 'unknown'> {
  const [row] = await tx
    .select({
      oldest: sql<string | null>`min(${agentHeartbeats.oldest_observed_at})`.mapWith(
        agentHeartbeats.oldest_observed_at,
      ),
      flows: sql<boolean>`coalesce(sum(${agentHeartbeats.accepted} + ${agentHeartbeats.updated}), 0) > 0`,
      known: sql<boolean>`coalesce(bool_and(${agentHeartbeats.oldest_observed_at} is not null
        or ${agentHeartbeats.accepted} + ${agentHeartbeats.updated} = 0), true)`,
    })
    .from(agentHeartbeats)
    .where(sql`${agentHeartbeats.node_id} = ${nodeId} and ${agentHeartbeats.received_at} >= ${received}::timestamptz`);
  const [late] = await tx
    .select({ from: nodeAgents.confirmed_from })
    .from(nodeAgents)
    .where(sql`${nodeAgents.node_id} = ${nodeId} and ${nodeAgents.confirmed_at} >= ${received}::timestamptz`);
  const confirmed = late?.from ?? null;
  if (!row?.flows) return confirmed ?? 'none';
  if (!row.known || row.oldest === null) return 'unknown';
  return confirmed !== null && confirmed < row.oldest ? confirmed : row.oldest;
}

/** Where guests are and whether an agent that reports looks at them there. */
export async function listGuestHomes(
  executor: Executor,
): Promise<{ workload_id: string; node_id: string | null; looked_at: boolean }[]> {
  return executor
    .select({
      workload_id: workloads.id,
      node_id: workloads.node_id,
      looked_at: sql<boolean>`coalesce(${nodeAgents.status} in ('ok', 'degraded'), false)`,
    })
    .from(workloads)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, workloads.node_id));
}
