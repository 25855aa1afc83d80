import { eq, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { agentEnrolments } from '../../db/schema/agents';
import { clusters, nodeAgents, nodes, type TokenReplacement } from '../../db/schema/clusters';

type EnrolmentRow = typeof agentEnrolments.$inferSelect;
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

export async function insertEnrolment(tx: Tx, row: typeof agentEnrolments.$inferInsert): Promise<void> {
  await tx.insert(agentEnrolments).values(row);
}

/** The enrolment with this token and its node, locked until the transaction ends: a token works once. */
export async function lockEnrolment(
  tx: Tx,
  tokenHash: string,
): Promise<{ enrolment: EnrolmentRow; node: NodeName } | null> {
  const [enrolment] = await tx
    .select()
    .from(agentEnrolments)
    .where(eq(agentEnrolments.token_hash, tokenHash))
    .for('update');
  const node = enrolment && (await findNodeName(tx, enrolment.node_id));
  return node ? { enrolment, node } : null;
}

export async function markEnrolmentUsed(tx: Tx, id: string, at: string): Promise<void> {
  await tx.update(agentEnrolments).set({ used_at: at }).where(eq(agentEnrolments.id, id));
}

export type NewAgent = { node_id: string; token_hash: string; machine_id: string; agent_version: string };

/** Whether an agent reports: what watches over agents says otherwise once three heartbeats are missing. */
const reports = ({ status }: { status: string }) => status === 'ok' || status === 'degraded';

/** The agent that had the node's token before. */
export type FormerAgent = { machine_id: string | null; last_heartbeat_at: string | null; reports: boolean };

/** The agent of a node before it is given another token, locked. */
export async function lockFormerAgent(tx: Tx, nodeId: string): Promise<FormerAgent | null> {
  const [row] = await tx
    .select({
      machine_id: nodeAgents.machine_id,
      last_heartbeat_at: nodeAgents.last_heartbeat_at,
      status: nodeAgents.status,
    })
    .from(nodeAgents)
    .where(eq(nodeAgents.node_id, nodeId))
    .for('update');
  return row ? { machine_id: row.machine_id, last_heartbeat_at: row.last_heartbeat_at, reports: reports(row) } : null;
}

/** Gives a node's agent its token; whoever had one before is locked out. @param replacement null leaves the last one that was recorded */
export async function enrolAgent(
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
