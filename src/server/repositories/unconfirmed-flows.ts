import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../db/client';
import { unconfirmedFlows } from '../db/schema/telemetry';
import { batches } from './update-rows';

export type UnconfirmedRow = typeof unconfirmedFlows.$inferSelect;
type NewRow = typeof unconfirmedFlows.$inferInsert;

/** Keeps reports until the place of their workloads is known. */
export async function insertUnconfirmed(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(unconfirmedFlows).values(batch);
}

/** How many reports of a node are kept, counted up to `limit`. */
export async function countKept(executor: Executor, nodeId: string, limit: number): Promise<number> {
  const [row] = await executor
    .select({ n: count() })
    .from(
      executor
        .select({ id: unconfirmedFlows.id })
        .from(unconfirmedFlows)
        .where(eq(unconfirmedFlows.node_id, nodeId))
        .limit(limit)
        .as('kept'),
    );
  return row?.n ?? 0;
}

/** Clusters with reports that wait. */
export async function listWaitingClusters(executor: Executor): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ cluster_id: unconfirmedFlows.cluster_id })
    .from(unconfirmedFlows)
    .where(eq(unconfirmedFlows.state, 'waiting'));
  return rows.map((row) => row.cluster_id);
}

const PLACE = {
  id: unconfirmedFlows.id,
  node_id: unconfirmedFlows.node_id,
  workload_id: unconfirmedFlows.workload_id,
  vmid: unconfirmedFlows.vmid,
  received_at: unconfirmedFlows.received_at,
  observed_at: unconfirmedFlows.observed_at,
};
export type WaitingReport = Pick<UnconfirmedRow, keyof typeof PLACE>;

/** Reports of a cluster that wait, oldest first, after an id. */
export function listWaiting(
  executor: Executor,
  clusterId: string,
  after: number,
  limit: number,
): Promise<WaitingReport[]> {
  return executor
    .select(PLACE)
    .from(unconfirmedFlows)
    .where(
      and(
        eq(unconfirmedFlows.cluster_id, clusterId),
        eq(unconfirmedFlows.state, 'waiting'),
        sql`${unconfirmedFlows.id} > ${after}`,
      ),
    )
    .orderBy(asc(unconfirmedFlows.id))
    .limit(limit);
}

/** Takes reports of a node out of those that wait, in the order in which they came. Each is taken once. */
export async function takeWaiting(tx: Tx, nodeId: string, ids: readonly number[]): Promise<UnconfirmedRow[]> {
  const rows = await tx
    .delete(unconfirmedFlows)
    .where(
      and(
        eq(unconfirmedFlows.node_id, nodeId),
        eq(unconfirmedFlows.state, 'waiting'),
        inArray(unconfirmedFlows.id, [...ids]),
      ),
    )
    .returning();
  return rows.sort((a, b) => a.id - b.id);
}

/** Refuses reports of a node about workloads that are on another one. @returns how many waited until now */
export async function refuseWaiting(
  tx: Tx,
  nodeId: string,
  ids: readonly number[],
  placed: { node_id: string | null; at: string },
): Promise<number> {
  const rows = await tx
    .update(unconfirmedFlows)
    .set({ state: 'refused', placed_node_id: placed.node_id, refused_at: placed.at })
    .where(
      and(
        eq(unconfirmedFlows.node_id, nodeId),
        eq(unconfirmedFlows.state, 'waiting'),
        inArray(unconfirmedFlows.id, [...ids]),
      ),
    )
    .returning({ id: unconfirmedFlows.id });
  return rows.length;
}
