import { and, eq, gte, ilike, isNull, type SQL, sql } from 'drizzle-orm';
import type { Agent, AgentDetail, AgentListInput } from '@/domain/agent';
import type { Page } from '@/domain/list';
import { db } from '../db/client';
import { clusters, nodeAgents, nodes } from '../db/schema/clusters';
import { agentHeartbeats } from '../db/schema/telemetry';
import { likePattern } from './like-pattern';
import { pageOfRows, type SortKeys } from './page-of-rows';

const columns = {
  id: nodes.id,
  node_id: nodes.id,
  node_name: nodes.name,
  cluster_id: nodes.cluster_id,
  cluster_name: clusters.name,
  status: nodeAgents.status,
  agent_version: nodeAgents.agent_version,
  machine_id: nodeAgents.machine_id,
  enrolled_at: nodeAgents.enrolled_at,
  last_heartbeat_at: nodeAgents.last_heartbeat_at,
  interval_seconds: nodeAgents.interval_seconds,
  clock_offset_ms: nodeAgents.clock_offset_ms,
  firewall_status: sql<Agent['firewall_status']>`${nodeAgents.firewall_status}`,
  nftables_ruleset_hash: nodeAgents.nftables_ruleset_hash,
};

const SORTS: SortKeys = {
  node_name: { column: nodes.name },
  cluster_name: { column: clusters.name },
  status: { column: nodeAgents.status, nullable: true },
  agent_version: { column: nodeAgents.agent_version, nullable: true },
  last_heartbeat_at: { column: nodeAgents.last_heartbeat_at, nullable: true },
  clock_offset_ms: { column: nodeAgents.clock_offset_ms, nullable: true },
};

/** Nodes with their agents, page by page. Two queries. */
export async function listAgents(input: AgentListInput): Promise<Page<Agent>> {
  const conditions: (SQL | undefined)[] = [
    input.cluster_id === undefined ? undefined : eq(nodes.cluster_id, input.cluster_id),
    input.status === undefined
      ? undefined
      : input.status === 'none'
        ? isNull(nodeAgents.status)
        : eq(nodeAgents.status, input.status),
    input.q ? ilike(nodes.name, likePattern(input.q)) : undefined,
  ];
  const matches = db
    .select({ id: nodes.id })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(and(...conditions));
  return pageOfRows<Agent>(input, { sorts: SORTS, sort: 'node_name', id: nodes.id }, (paging) => ({
    rows: db
      .select(columns)
      .from(nodes)
      .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
      .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(matches.as('matches')),
  }));
}

/** A node with its agent, the newest heartbeat and sums over the heartbeats since a time, or null. Two queries. */
export async function findAgentDetail(nodeId: string, since: string): Promise<AgentDetail | null> {
  const [[agent], [last_day]] = await Promise.all([
    db
      .select({ ...columns, payload: sql<AgentDetail['payload']>`${nodeAgents.payload}` })
      .from(nodes)
      .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
      .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
      .where(eq(nodes.id, nodeId)),
    db
      .select({
        heartbeats: sql<number>`count(*)::int`,
        accepted: sql<number>`coalesce(sum(${agentHeartbeats.accepted}), 0)::int`,
        updated: sql<number>`coalesce(sum(${agentHeartbeats.updated}), 0)::int`,
        rejected: sql<number>`coalesce(sum(${agentHeartbeats.rejected_count}), 0)::int`,
      })
      .from(agentHeartbeats)
      .where(and(eq(agentHeartbeats.node_id, nodeId), gte(agentHeartbeats.received_at, since))),
  ]);
  return agent && last_day ? { ...agent, last_day } : null;
}
