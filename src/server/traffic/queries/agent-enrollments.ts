import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { AgentEnrollment, type AgentEnrollmentListInput } from '@/domain/agent';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { agentEnrolments, type EnrolledNode } from '../../db/schema/agents';
import { clusters, nodeAgents, nodes, type TokenReplacement } from '../../db/schema/clusters';

export type EnrolmentRow = typeof agentEnrolments.$inferSelect;
export type NodeName = { id: string; name: string; cluster_id: string; cluster_name: string };

const nodeColumns = { id: nodes.id, name: nodes.name, cluster_id: nodes.cluster_id, cluster_name: clusters.name };

export async function findNodeName(executor: Executor, nodeId: string): Promise<NodeName | null> {
  const [row] = await executor
    .select(nodeColumns)
    .from(nodes)
    .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
    .where(eq(nodes.id, nodeId));
  return row ?? null;
}

export async function insertEnrollment(tx: Tx, row: typeof agentEnrolments.$inferInsert): Promise<void> {
  await tx.insert(agentEnrolments).values(row);
}

/** The enrollment token with this hash, locked until the transaction ends: simultaneous uses are counted one after the other. */
export async function lockEnrollment(tx: Tx, tokenHash: string): Promise<EnrolmentRow | null> {
  const [enrolment] = await tx
    .select()
    .from(agentEnrolments)
    .where(eq(agentEnrolments.token_hash, tokenHash))
    .for('update');
  return enrolment ?? null;
}

/** The nodes of a cluster that are in it, or those of them with these ids. */
export async function listEnrollableNodes(
  executor: Executor,
  clusterId: string,
  ids: readonly string[] | null,
): Promise<(NodeName & { agent: AgentInUse | null })[]> {
  const rows = await executor
    .select({ ...nodeColumns, agent: agentColumns })
    .from(nodes)
    .innerJoin(clusters, eq(clusters.id, nodes.cluster_id))
    .leftJoin(nodeAgents, eq(nodeAgents.node_id, nodes.id))
    .where(
      and(eq(nodes.cluster_id, clusterId), isNull(nodes.missing_since), ids ? inArray(nodes.id, [...ids]) : undefined),
    )
    .orderBy(nodes.name);
  return rows;
}

export async function findClusterName(executor: Executor, id: string): Promise<{ id: string; name: string } | null> {
  const [row] = await executor
    .select({ id: clusters.id, name: clusters.name })
    .from(clusters)
    .where(eq(clusters.id, id));
  return row ?? null;
}

/** Counts a use. */
export async function markEnrollmentUsed(tx: Tx, id: string, by: EnrolledNode): Promise<void> {
  await tx
    .update(agentEnrolments)
    .set({
      used_at: by.at,
      uses: sql`${agentEnrolments.uses} + 1`,
      enrolled: sql`${agentEnrolments.enrolled} || ${JSON.stringify([by])}::jsonb`,
    })
    .where(eq(agentEnrolments.id, id));
}

const enrollmentColumns = (now: string) =>
  selectColumns(AgentEnrollment, agentEnrolments, {
    cluster_id: clusters.id,
    cluster_name: clusters.name,
    state: stateAt(now),
  });

/** What became of a token by a time: revoked before used before expired. */
const stateAt = (now: string) => sql<AgentEnrollment['state']>`case
  when ${agentEnrolments.revoked_at} is not null then 'revoked'
  when ${agentEnrolments.uses} >= ${agentEnrolments.max_uses} then 'used'
  when ${agentEnrolments.expires_at} <= ${now}::timestamptz then 'expired' else 'active' end`;

/** Tokens for many nodes, page by page, newest first. Two queries. */
export async function listEnrollments(input: AgentEnrollmentListInput, now: string): Promise<Page<AgentEnrollment>> {
  const conditions = and(
    isNotNull(agentEnrolments.cluster_id),
    ...buildConditions(input, agentEnrolments, {
      q: hasText(agentEnrolments.description, agentEnrolments.created_by_name),
      state: (state) => sql`${stateAt(now)} = ${state}`,
    }),
  );
  const sorts = { created_at: { column: agentEnrolments.id }, expires_at: { column: agentEnrolments.expires_at } };
  return queryPage<AgentEnrollment>(input, { sorts, sort: '-created_at', id: agentEnrolments.id }, (paging) => ({
    rows: db
      .select(enrollmentColumns(now))
      .from(agentEnrolments)
      .innerJoin(clusters, eq(clusters.id, agentEnrolments.cluster_id))
      .where(and(conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(agentEnrolments, conditions),
  }));
}

/** A token for many nodes, locked; null when there is none with this id. */
export async function lockEnrollmentById(tx: Tx, id: string, now: string): Promise<AgentEnrollment | null> {
  const [row] = await tx
    .select(enrollmentColumns(now))
    .from(agentEnrolments)
    .innerJoin(clusters, eq(clusters.id, agentEnrolments.cluster_id))
    .where(eq(agentEnrolments.id, id))
    .for('update', { of: agentEnrolments });
  return row ?? null;
}

export async function revokeEnrollment(tx: Tx, id: string, by: { at: string; name: string }): Promise<void> {
  await tx
    .update(agentEnrolments)
    .set({ revoked_at: by.at, revoked_by_name: by.name })
    .where(eq(agentEnrolments.id, id));
}

export type NewAgent = { node_id: string; token_hash: string; machine_id: string; agent_version: string };

/** Whether an agent reports: what watches over agents says otherwise once three heartbeats are missing. */
const isReporting = ({ status }: { status: string }) => status === 'ok' || status === 'degraded';

const agentColumns = {
  machine_id: nodeAgents.machine_id,
  enrolled_at: nodeAgents.enrolled_at,
  last_heartbeat_at: nodeAgents.last_heartbeat_at,
  status: nodeAgents.status,
};

/** What is known about the agent of a node by its newest token. */
export type AgentInUse = Pick<typeof nodeAgents.$inferSelect, keyof typeof agentColumns>;

/** The agent that had the node's token before. */
export type FormerAgent = AgentInUse & { reports: boolean };

/** The agent of a node before it is given another token. The node is locked, because there may be no agent yet. */
export async function lockFormerAgent(tx: Tx, nodeId: string): Promise<FormerAgent | null> {
  await tx.select({ id: nodes.id }).from(nodes).where(eq(nodes.id, nodeId)).for('no key update');
  const [row] = await tx.select(agentColumns).from(nodeAgents).where(eq(nodeAgents.node_id, nodeId)).for('update');
  return row ? { ...row, reports: isReporting(row) } : null;
}

/** Assigns an agent token; the previous one is locked out. @param replacement null keeps the last recorded one */
export async function enrollAgent(
  tx: Tx,
  agent: NewAgent,
  replacement: TokenReplacement | null,
  at: string,
): Promise<void> {
  const values = {
    ...agent,
    ...(replacement && { token_replacement: replacement }),
    status: 'pending' as const,
    enrolled_at: at,
    updated_at: at,
    last_boot_id: null,
    last_sequence: null,
    last_sent_at: null,
  };
  await tx
    .insert(nodeAgents)
    .values(values)
    .onConflictDoUpdate({ target: nodeAgents.node_id, set: { ...values, token_hash: sql`excluded.token_hash` } });
}
