import { eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../db/client';
import { projects } from '../../db/schema/access';
import { workloadOwners } from '../../db/schema/moves';
import { networks } from '../../db/schema/networks';
import { workloadInterfaces, workloads } from '../../db/schema/workloads';
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
  sort_name: _sort,
  ...stored
} = getTableColumns(workloads);

/** A workload as a sync knows it. */
export type SyncedWorkload = Pick<WorkloadRow, keyof typeof stored> & {
  /** The tenant whose administrators learn of what happens to the workload. */
  tenant_id: string | null;
};

/** Of a workload that left its tenant before its config was read, which may be another guest since: the tenant that it left. */
const formerTenant = sql`case when ${workloads.creation_fingerprint} is not null and ${workloads.config_read_at} is null then (
  select o.tenant_id from ${workloadOwners} as o where o.workload_id = ${workloads.id} order by o.id desc limit 1) end`;

export async function listWorkloadsForSync(executor: Executor, clusterId: string): Promise<SyncedWorkload[]> {
  return executor
    .select({ ...stored, tenant_id: sql<string | null>`coalesce(${projects.tenant_id}, ${formerTenant})` })
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

type InterfaceRow = typeof workloadInterfaces.$inferSelect;
type InterfaceInsert = typeof workloadInterfaces.$inferInsert;

/** The interfaces of these workloads. */
export async function listWorkloadInterfaces(
  executor: Executor,
  workloadIds: readonly string[],
): Promise<InterfaceRow[]> {
  if (workloadIds.length === 0) return [];
  return executor
    .select()
    .from(workloadInterfaces)
    .where(inArray(workloadInterfaces.workload_id, [...workloadIds]));
}

export async function insertInterfaces(tx: Tx, rows: readonly InterfaceInsert[]): Promise<void> {
  for (const batch of batches(rows)) await tx.insert(workloadInterfaces).values(batch);
}

export async function updateInterfaces(
  tx: Tx,
  rows: readonly (Partial<InterfaceInsert> & { id: string })[],
): Promise<void> {
  await updateRows(tx, workloadInterfaces, rows);
}

export async function deleteInterfaces(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(workloadInterfaces).where(inArray(workloadInterfaces.id, [...ids]));
}

/** Points every interface of the cluster at the network that its bridge names. Returns how many changed. */
export async function linkInterfaces(tx: Tx, clusterId: string): Promise<number> {
  const changed = await tx.execute(sql`
    update ${workloadInterfaces} as i set network_id = wanted.network_id, updated_at = now()
    from (
      select i.id, n.id as network_id
      from ${workloadInterfaces} i
      join ${workloads} w on w.id = i.workload_id
      left join ${networks} n on n.cluster_id = w.cluster_id and n.name = i.bridge
      where w.cluster_id = ${clusterId} and i.network_id is distinct from n.id
      order by i.id
    ) as wanted
    where i.id = wanted.id`);
  return changed.count;
}
