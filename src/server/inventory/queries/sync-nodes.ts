import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { nodes } from '../../db/schema/clusters';
import { workloads } from '../../db/schema/workloads';
import { batches, updateRows } from '../../db/update-rows';

type NodeRow = typeof nodes.$inferSelect;
type NodeInsert = typeof nodes.$inferInsert;

const columns = {
  id: nodes.id,
  name: nodes.name,
  status: nodes.status,
  address: nodes.address,
  provider_version: nodes.provider_version,
  nftables: nodes.nftables,
  tls_fingerprint: nodes.tls_fingerprint,
  cpu_count: nodes.cpu_count,
  memory_bytes: nodes.memory_bytes,
  started_at: nodes.started_at,
  fault: nodes.fault,
  missing_since: nodes.missing_since,
};

/** A cluster's nodes as a sync knows them. */
export async function listNodesForSync(
  executor: Executor,
  clusterId: string,
): Promise<Pick<NodeRow, keyof typeof columns>[]> {
  return executor.select(columns).from(nodes).where(eq(nodes.cluster_id, clusterId));
}

/** Ids of the cluster's nodes on which guests are placed. */
export async function listOccupiedNodeIds(executor: Executor, clusterId: string): Promise<Set<string>> {
  const rows = await executor
    .selectDistinct({ node_id: workloads.node_id })
    .from(workloads)
    .where(and(eq(workloads.cluster_id, clusterId), isNotNull(workloads.node_id)));
  return new Set(rows.flatMap((row) => (row.node_id ? [row.node_id] : [])));
}

export async function insertNodes(tx: Tx, rows: readonly NodeInsert[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(nodes).values(batch);
}

export async function updateNodes(tx: Tx, rows: readonly (Partial<NodeInsert> & { id: string })[]): Promise<void> {
  await updateRows(tx, nodes, rows);
}

export async function deleteNodes(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(nodes).where(inArray(nodes.id, [...ids]));
}
