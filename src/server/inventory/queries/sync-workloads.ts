import { eq, getTableColumns, inArray } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { projects } from '../../db/schema/access';
import { workloads } from '../../db/schema/workloads';
import { batches, updateRows } from '../../db/update-rows';

type WorkloadRow = typeof workloads.$inferSelect;
type WorkloadInsert = typeof workloads.$inferInsert;

/** A sync does not know projects: others assign them. */
const {
  cluster_id: _cluster,
  project_id: _project,
  project_since: _since,
  project_assigned_by: _by,
  mapping_rule_id: _rule,
  created_at: _created,
  updated_at: _updated,
  ...stored
} = getTableColumns(workloads);

/** A workload as a sync knows it. */
export type SyncedWorkload = Pick<WorkloadRow, keyof typeof stored> & {
  /** The tenant whose administrators learn of what happens to the workload. */
  tenant_id: string | null;
};

export async function listWorkloadsForSync(executor: Executor, clusterId: string): Promise<SyncedWorkload[]> {
  return executor
    .select({ ...stored, tenant_id: projects.tenant_id })
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
