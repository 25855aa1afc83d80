import { eq, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../db/client';
import { clusters, nodeAgents, nodes } from '../db/schema/clusters';
import { agentEnrolments } from '../db/schema/telemetry';

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

/** Gives a node's agent its token; whoever had one before is locked out. @returns the machine that was enrolled before */
export async function enrolAgent(tx: Tx, agent: NewAgent, at: string): Promise<string | null> {
  const [before] = await tx
    .select({ machine_id: nodeAgents.machine_id })
    .from(nodeAgents)
    .where(eq(nodeAgents.node_id, agent.node_id))
    .for('update');
  const values = {
    ...agent,
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
  return before?.machine_id ?? null;
}
