import { and, count, desc, eq, gt, gte, inArray, isNotNull, isNull, not, sql } from 'drizzle-orm';
import { Agent, type AgentDetail, type AgentHour, type AgentListInput } from '@/domain/agent';
import { AGENT_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { db } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { keyOrder, naturalOrder } from '../../db/natural-order';
import { queryPage } from '../../db/query-page';
import { agentHeartbeats } from '../../db/schema/agents';
import { clusters, nodeAgents, nodes } from '../../db/schema/clusters';

/** The collectors of the newest heartbeat as a JSON list; of anything else than a list an empty one. */
const reported = sql`case when jsonb_typeof(${nodeAgents.payload} #> '{flow_diagnostics,collectors}') = 'array'
  then ${nodeAgents.payload} #> '{flow_diagnostics,collectors}' else '[]'::jsonb end`;
/** Its newest heartbeat describes the current state. */
const reporting = inArray(nodeAgents.status, ['ok', 'degraded']);
const lacks = sql`exists (select from jsonb_array_elements(${reported}) c where c->>'state' in ('degraded', 'unavailable'))`;

/** An agent without its flows; whether it is outdated depends on what the service brings. */
const StoredAgent = Agent.omit({ outdated: true, unconfirmed: true });
export type StoredAgent = Omit<Agent, 'outdated' | 'unconfirmed'>;
type Activity = Omit<AgentHour, 'hour_at'>;

const columns = selectColumns(StoredAgent, nodeAgents, {
  id: nodes.id,
  node_id: nodes.id,
  node_name: nodes.name,
  cluster_id: nodes.cluster_id,
  cluster_name: clusters.name,
  firewall_status: sql<Agent['firewall_status']>`${nodeAgents.firewall_status}`,
  collectors: sql<Agent['collectors']>`(select coalesce(jsonb_agg(jsonb_build_object(
    'name', left(c->>'name', 64), 'state', left(c->>'state', 64)) order by c.at), '[]'::jsonb)
    from jsonb_array_elements(${reported}) with ordinality c(c, at))`,
});
const SORTS = {
  ...buildSortKeys(StoredAgent, AGENT_SORTS, columns),
  node_name: keyOrder(nodes.sort_name, 'node_name'),
  agent_version: naturalOrder(nodeAgents.agent_version, 'agent_version', true),
};

/** Nodes with their agents, page by page. Two queries. @param outdated the versions that count as outdated */
export async function listAgents(input: AgentListInput, outdated: readonly string[]): Promise<Page<StoredAgent>> {
  const isOutdated = outdated.length > 0 ? inArray(nodeAgents.agent_version, [...outdated]) : sql`false`;
  const conditions = buildConditions(input, nodes, {
    q: hasText(nodes.name, hasName(nodes.cluster_id, clusters)),
    status: (status) => (status === 'none' ? isNull(nodeAgents.status) : eq(nodeAgents.status, status)),
    outdated: (desired) => (desired ? isOutdated : and(isNotNull(nodeAgents.agent_version), not(isOutdated))),
    // Only an agent that reports shows that nothing is missing.
    lacking: (desired) => (desired ? lacks : and(isNotNull(nodeAgents.payload), reporting, not(lacks))),
  });
  const matches = db
    .select({ id: nodes.id })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(and(...conditions));
  return queryPage<StoredAgent>(input, { sorts: SORTS, sort: 'node_name', id: nodes.id }, (paging) => ({
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

/** How many nodes are in each state, per version of their agent. One query, at most a row for each pair. */
export function countAgents(
  clusterId: string | undefined,
): Promise<{ status: Agent['status']; agent_version: string | null; nodes: number; lacking: number }[]> {
  return db
    .select({
      status: nodeAgents.status,
      agent_version: nodeAgents.agent_version,
      nodes: count(),
      lacking: sql<number>`(count(*) filter (where ${lacks}))::int`,
    })
    .from(nodes)
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(clusterId === undefined ? undefined : eq(nodes.cluster_id, clusterId))
    .groupBy(nodeAgents.status, nodeAgents.agent_version);
}

/** The versions that agents report. */
export async function findAgentVersions(): Promise<string[]> {
  const rows = await db
    .selectDistinct({ agent_version: nodeAgents.agent_version })
    .from(nodeAgents)
    .where(isNotNull(nodeAgents.agent_version));
  return rows.flatMap(({ agent_version }) => agent_version ?? []);
}

const activity = {
  heartbeats: sql<number>`count(*)::int`,
  accepted: sql<number>`coalesce(sum(${agentHeartbeats.accepted}), 0)::int`,
  updated: sql<number>`coalesce(sum(${agentHeartbeats.updated}), 0)::int`,
  rejected: sql<number>`coalesce(sum(${agentHeartbeats.rejected_count}), 0)::int`,
};

const sum = (hours: readonly Activity[], field: keyof Activity) =>
  hours.reduce((total, hour) => total + hour[field], 0);

/** Number of heartbeats whose rejections are shown, and of first reasons for each. */
const SHOWN_HEARTBEATS = 10;
const SHOWN_REASONS = 5;

/** A node with its agent, the newest heartbeat and what the heartbeats since a time brought, or null. Three queries. */
export async function findAgentDetail(
  nodeId: string,
  since: string,
): Promise<Omit<AgentDetail, 'outdated' | 'reported' | 'unconfirmed' | 'unconfirmed_guests'> | null> {
  const recent = and(eq(agentHeartbeats.node_id, nodeId), gte(agentHeartbeats.received_at, since));
  const hour = sql<string>`to_char(date_trunc('hour', ${agentHeartbeats.received_at}, 'UTC') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
  const [[agent], hours, refused] = await Promise.all([
    db
      .select({ ...columns, node_status: nodes.status, payload: sql<AgentDetail['payload']>`${nodeAgents.payload}` })
      .from(nodes)
      .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
      .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
      .where(eq(nodes.id, nodeId)),
    db
      .select({ hour_at: hour, ...activity })
      .from(agentHeartbeats)
      .where(recent)
      .groupBy(sql`1`)
      .orderBy(sql`1`),
    db
      .select({ received_at: agentHeartbeats.received_at, rejected: agentHeartbeats.rejected })
      .from(agentHeartbeats)
      .where(and(recent, gt(agentHeartbeats.rejected_count, 0)))
      .orderBy(desc(agentHeartbeats.received_at))
      .limit(SHOWN_HEARTBEATS),
  ]);
  if (!agent) return null;
  return {
    ...agent,
    last_day: {
      heartbeats: sum(hours, 'heartbeats'),
      accepted: sum(hours, 'accepted'),
      updated: sum(hours, 'updated'),
      rejected: sum(hours, 'rejected'),
    },
    hours,
    rejections: refused.flatMap(({ received_at, rejected }) =>
      rejected.slice(0, SHOWN_REASONS).map(({ index, reason }) => ({ received_at, index, reason })),
    ),
  };
}
