import { eq, inArray } from 'drizzle-orm';
import type { Executor, Tx } from '../db/client';
import { projects } from '../db/schema/access';
import { workloads } from '../db/schema/workloads';
import { batches, updateRows } from './update-rows';

type WorkloadRow = typeof workloads.$inferSelect;
type WorkloadInsert = typeof workloads.$inferInsert;

const columns = {
  id: workloads.id,
  node_id: workloads.node_id,
  vmid: workloads.vmid,
  kind: workloads.kind,
  external_id: workloads.external_id,
  name: workloads.name,
  status: workloads.status,
  template: workloads.template,
  tags: workloads.tags,
  pool: workloads.pool,
  lock: workloads.lock,
  ha_state: workloads.ha_state,
  cpu_count: workloads.cpu_count,
  memory_bytes: workloads.memory_bytes,
  started_at: workloads.started_at,
  config_digest: workloads.config_digest,
  missing_since: workloads.missing_since,
  creation_fingerprint: workloads.creation_fingerprint,
  config_read_at: workloads.config_read_at,
  /** The tenant whose administrators learn of what happens to the workload. */
  tenant_id: projects.tenant_id,
};

/** A workload as a sync knows it. */
export type SyncedWorkload = Pick<WorkloadRow, Exclude<keyof typeof columns, 'tenant_id'>> & {
  tenant_id: string | null;
};

export async function listWorkloadsForSync(executor: Executor, clusterId: string): Promise<SyncedWorkload[]> {
  return executor
    .select(columns)
    .from(workloads)
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .where(eq(workloads.cluster_id, clusterId));
}

export async function insertWorkloads(tx: Tx, rows: readonly WorkloadInsert[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(workloads).values(batch);
}

export async function updateWorkloads(
  tx: Tx,
  rows: readonly (Partial<WorkloadInsert> & { id: string })[],
): Promise<void> {
  await updateRows(tx, workloads, rows);
}

/** Removes workloads with their interfaces and group memberships; their addresses stay, without a workload. */
export async function deleteWorkloads(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(workloads).where(inArray(workloads.id, [...ids]));
}
