import { and, eq, getTableColumns, inArray, isNull, or, type SQL } from 'drizzle-orm';
import type { Owned, Reach } from '@/domain/permissions';
import type { Executor } from '../../db/client';
import { projects } from '../../db/schema/access';
import { policyPlacements } from '../../db/schema/deployments';
import { policies } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { ownedInReach, workloadInReach } from '../../tenancy/queries/tenant-reach';

export type PlacementRow = Omit<typeof policyPlacements.$inferSelect, 'created_at'>;

/** A policy with its owner, on whose workloads alone it may act. */
export type OwnedPolicy = Owned & { readonly policy_id: string };

/** Workloads on which a policy of this owner may act, as `actsOn` decides, for a WHERE in which `workloads` stands. */
export function buildActsOnCondition({ tenant_id, project_id }: Owned): SQL | undefined {
  if (project_id !== null) return workloadInReach({ tenants: [], projects: [project_id] });
  return tenant_id === null ? undefined : workloadInReach([tenant_id]);
}

/** Guests of a cluster at which something of the policy may stand and on which it may act. */
export async function listPlacedWorkloadIds(
  executor: Executor,
  policy: OwnedPolicy,
  clusterId: string,
): Promise<string[]> {
  const rows = await executor
    .select({ workload_id: policyPlacements.workload_id })
    .from(policyPlacements)
    .innerJoin(workloads, eq(workloads.id, policyPlacements.workload_id))
    .where(
      and(
        eq(policyPlacements.policy_id, policy.policy_id),
        eq(workloads.cluster_id, clusterId),
        buildActsOnCondition(policy),
      ),
    );
  return rows.map((row) => row.workload_id);
}

/** Clusters with guests at which something of the policy may stand and on which it may act. */
export async function listPlacedClusterIds(executor: Executor, policy: OwnedPolicy): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ cluster_id: workloads.cluster_id })
    .from(policyPlacements)
    .innerJoin(workloads, eq(workloads.id, policyPlacements.workload_id))
    .where(and(eq(policyPlacements.policy_id, policy.policy_id), buildActsOnCondition(policy)));
  return rows.map((row) => row.cluster_id);
}

/** What was last applied at a guest, of every policy. */
export function listPlacementsAt(executor: Executor, workloadId: string): Promise<PlacementRow[]> {
  return executor.select().from(policyPlacements).where(eq(policyPlacements.workload_id, workloadId));
}

/** What was last applied of these policies, on all workloads that they may act on. */
export async function listPlacementsByPolicies(
  executor: Executor,
  policyIds: readonly string[],
): Promise<PlacementRow[]> {
  if (policyIds.length === 0) return [];
  return executor
    .select(getTableColumns(policyPlacements))
    .from(policyPlacements)
    .innerJoin(policies, eq(policies.id, policyPlacements.policy_id))
    .innerJoin(workloads, eq(workloads.id, policyPlacements.workload_id))
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .where(
      and(
        inArray(policyPlacements.policy_id, [...policyIds]),
        or(
          isNull(policies.tenant_id),
          eq(policies.project_id, workloads.project_id),
          and(isNull(policies.project_id), eq(policies.tenant_id, projects.tenant_id)),
        ),
      ),
    );
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

export type AppliedPolicy = PlacementRow;

export type PlacedPair = Omit<AppliedPolicy, 'policy_version' | 'rules'>;

/** Which policies were applied at which guests, when, with what rank and defaults; null: they are being applied. */
export async function listPlacedPairs(executor: Executor): Promise<PlacedPair[]> {
  const { policy_id, workload_id, applied_at, tier, priority, drop_in, drop_out } = policyPlacements;
  return executor
    .select({ policy_id, workload_id, applied_at, tier, priority, drop_in, drop_out })
    .from(policyPlacements);
}

/** What was last applied at these guests, of every policy. */
export async function listAppliedAt(executor: Executor, workloadIds: readonly string[]): Promise<AppliedPolicy[]> {
  if (workloadIds.length === 0) return [];
  return executor
    .select()
    .from(policyPlacements)
    .where(inArray(policyPlacements.workload_id, [...workloadIds]));
}

/** What was last applied at the workloads of a cluster, of every policy. */
export async function listAppliedInCluster(executor: Executor, clusterId: string): Promise<AppliedPolicy[]> {
  return executor
    .select(getTableColumns(policyPlacements))
    .from(policyPlacements)
    .innerJoin(workloads, eq(workloads.id, policyPlacements.workload_id))
    .where(eq(workloads.cluster_id, clusterId));
}

/** What decides whether a policy may be applied. */
export type PolicyState = Pick<
  typeof policies.$inferSelect,
  'id' | 'name' | 'tenant_id' | 'project_id' | 'version' | 'enabled' | 'definition'
>;

const columns = {
  id: policies.id,
  name: policies.name,
  tenant_id: policies.tenant_id,
  project_id: policies.project_id,
  version: policies.version,
  enabled: policies.enabled,
  definition: policies.definition,
};

const inReach = (reach: Reach) => ownedInReach(policies, reach);

/** The policy as it is now, or null when it is gone or not visible to the caller. */
export async function findPolicyState(
  executor: Executor,
  id: string,
  reach: Reach = 'all',
): Promise<PolicyState | null> {
  const [row] = await executor
    .select(columns)
    .from(policies)
    .where(and(eq(policies.id, id), inReach(reach)));
  return row ?? null;
}

/** As `findPolicyState`; no one else changes the policy until the transaction ends. */
export async function lockPolicyState(executor: Executor, id: string, reach: Reach): Promise<PolicyState | null> {
  const [row] = await executor
    .select(columns)
    .from(policies)
    .where(and(eq(policies.id, id), inReach(reach)))
    .for('share');
  return row ?? null;
}

/** Every policy visible to the caller. */
export function listPolicyStates(executor: Executor, reach: Reach): Promise<PolicyState[]> {
  return executor.select(columns).from(policies).where(inReach(reach)).orderBy(policies.id);
}
