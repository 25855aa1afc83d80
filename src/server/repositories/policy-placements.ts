import { and, eq, inArray } from 'drizzle-orm';
import type { Executor } from '../db/client';
import { policyPlacements } from '../db/schema/deployments';
import { workloads } from '../db/schema/workloads';

export type PlacementRow = typeof policyPlacements.$inferSelect;

/** Guests of a cluster at which something of the policy may stand. */
export async function listPlacedWorkloadIds(
  executor: Executor,
  policyId: string,
  clusterId: string,
): Promise<string[]> {
  const rows = await executor
    .select({ workload_id: policyPlacements.workload_id })
    .from(policyPlacements)
    .innerJoin(workloads, eq(workloads.id, policyPlacements.workload_id))
    .where(and(eq(policyPlacements.policy_id, policyId), eq(workloads.cluster_id, clusterId)));
  return rows.map((row) => row.workload_id);
}

/** Clusters with guests at which something of the policy may stand. */
export async function listPlacedClusterIds(executor: Executor, policyId: string): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ cluster_id: workloads.cluster_id })
    .from(policyPlacements)
    .innerJoin(workloads, eq(workloads.id, policyPlacements.workload_id))
    .where(eq(policyPlacements.policy_id, policyId));
  return rows.map((row) => row.cluster_id);
}

/** What was last applied at a guest, of every policy. */
export function listPlacementsAt(executor: Executor, workloadId: string): Promise<PlacementRow[]> {
  return executor.select().from(policyPlacements).where(eq(policyPlacements.workload_id, workloadId));
}

/** What was last applied of these policies, everywhere. */
export async function listPlacementsOf(executor: Executor, policyIds: readonly string[]): Promise<PlacementRow[]> {
  if (policyIds.length === 0) return [];
  return executor
    .select()
    .from(policyPlacements)
    .where(inArray(policyPlacements.policy_id, [...policyIds]));
}

/** Notes what is about to be applied at a guest, or that it was. */
export async function upsertPlacement(executor: Executor, row: PlacementRow): Promise<void> {
  const { policy_id: _policy, workload_id: _workload, ...changes } = row;
  await executor
    .insert(policyPlacements)
    .values(row)
    .onConflictDoUpdate({ target: [policyPlacements.policy_id, policyPlacements.workload_id], set: changes });
}

export async function deletePlacement(executor: Executor, policyId: string, workloadId: string): Promise<void> {
  await executor
    .delete(policyPlacements)
    .where(and(eq(policyPlacements.policy_id, policyId), eq(policyPlacements.workload_id, workloadId)));
}
