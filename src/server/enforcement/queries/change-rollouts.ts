import { and, asc, eq, inArray, isNotNull, ne, or, sql } from 'drizzle-orm';
import { ROLLOUT_STATES } from '@/domain/change/states';
import type { DeploymentProblem } from '@/domain/deployments';
import type { Executor, Tx } from '../../db/client';
import { changeObjects, changes, changeWorkloads } from '../../db/schema/changes';
import { deploymentGuests, policyPlacements } from '../../db/schema/deployments';
import { deployments } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import type { ChangeRow } from './changes';

/** A change that is being rolled out and contains one of these policies or groups. @param except a change that does not count */
export async function findRollout(
  executor: Executor,
  objectIds: readonly string[],
  except: string | null,
): Promise<Pick<ChangeRow, 'id' | 'state'> | null> {
  if (objectIds.length === 0) return null;
  const [row] = await executor
    .select({ id: changes.id, state: changes.state })
    .from(changeObjects)
    .innerJoin(changes, eq(changes.id, changeObjects.change_id))
    .where(
      and(
        inArray(changeObjects.object_id, [...objectIds]),
        inArray(changes.state, [...ROLLOUT_STATES]),
        except === null ? undefined : ne(changes.id, except),
      ),
    )
    .limit(1);
  return row ?? null;
}

/** Notes policies and groups that a change touches besides those of its items. */
export async function addChangeObjects(tx: Tx, change_id: string, objectIds: readonly string[]): Promise<void> {
  if (objectIds.length === 0) return;
  const rows = objectIds.map((object_id) => ({ change_id, object_id }));
  await tx.insert(changeObjects).values(rows).onConflictDoNothing();
}

type NewWorkload = typeof changeWorkloads.$inferInsert;

/** Stores in which wave each workload of a change is written, instead of what was planned before. */
export async function replaceChangeWorkloads(tx: Tx, changeId: string, rows: readonly NewWorkload[]): Promise<void> {
  await tx.delete(changeWorkloads).where(eq(changeWorkloads.change_id, changeId));
  for (let from = 0; from < rows.length; from += 1_000) {
    await tx.insert(changeWorkloads).values(rows.slice(from, from + 1_000));
  }
}

/** The workloads of a change by wave, with the cluster of those that still exist. */
export async function listChangeWorkloads(executor: Executor, changeId: string) {
  return executor
    .select({
      workload_id: changeWorkloads.workload_id,
      wave: changeWorkloads.wave,
      wave_kind: changeWorkloads.wave_kind,
      cluster_id: workloads.cluster_id,
    })
    .from(changeWorkloads)
    .leftJoin(workloads, eq(workloads.id, changeWorkloads.workload_id))
    .where(eq(changeWorkloads.change_id, changeId))
    .orderBy(asc(changeWorkloads.wave), asc(workloads.vmid));
}

/** Deployments of a change, oldest first. */
export async function listChangeDeployments(executor: Executor, changeId: string) {
  const { id, policy_id, policy_name, policy_version, cluster_id, kind, wave, status, problems } = deployments;
  const { workload_ids, created_at, started_at, finished_at } = deployments;
  return executor
    .select({
      ...{ id, policy_id, policy_name, policy_version, cluster_id, kind, wave, status, problems },
      ...{ workload_ids, created_at, started_at, finished_at },
    })
    .from(deployments)
    .where(eq(deployments.change_id, changeId))
    .orderBy(asc(deployments.created_at), asc(deployments.id));
}
export type ChangeDeployment = Awaited<ReturnType<typeof listChangeDeployments>>[number];

/** What became of the workloads in deployments of a change. */
export async function listChangeGuests(executor: Executor, changeId: string) {
  const { deployment_id, workload_id, vmid, name, status, problems, notes, writes, switches } = deploymentGuests;
  return executor
    .select({
      ...{ deployment_id, workload_id, vmid, name, status, problems, notes, writes, switches },
      started_at: deploymentGuests.started_at,
      finished_at: deploymentGuests.finished_at,
      wave: deployments.wave,
      policy_id: deployments.policy_id,
    })
    .from(deploymentGuests)
    .innerJoin(deployments, eq(deployments.id, deploymentGuests.deployment_id))
    .where(eq(deployments.change_id, changeId))
    .orderBy(asc(deploymentGuests.vmid), asc(deployments.created_at));
}
export type ChangeGuest = Awaited<ReturnType<typeof listChangeGuests>>[number];

/** Ends deployments of a change that no worker has begun. */
export async function endWaitingDeployments(tx: Tx, changeId: string, problem: DeploymentProblem): Promise<void> {
  await tx
    .update(deployments)
    .set({ status: 'failed', problems: [problem], finished_at: sql`now()` })
    .where(and(eq(deployments.change_id, changeId), eq(deployments.status, 'queued')));
}

/** How a guest was before the first write of a change there; null: nothing was to be written, or not known. */
export async function findStateBeforeChange(executor: Executor, changeId: string, workloadId: string) {
  const [row] = await executor
    .select({ state_before: deploymentGuests.state_before })
    .from(deploymentGuests)
    .innerJoin(deployments, eq(deployments.id, deploymentGuests.deployment_id))
    .where(
      and(
        eq(deployments.change_id, changeId),
        eq(deploymentGuests.workload_id, workloadId),
        isNotNull(deploymentGuests.state_before),
      ),
    )
    .orderBy(asc(deploymentGuests.started_at))
    .limit(1);
  return row?.state_before ?? null;
}

/** Versions of which rules were applied, by policy. */
export async function listAppliedVersions(
  executor: Executor,
  policyIds: readonly string[],
): Promise<Map<string, number>> {
  if (policyIds.length === 0) return new Map();
  const rows = await executor
    .select({ id: policyPlacements.policy_id, version: sql<number>`max(${policyPlacements.policy_version})::int` })
    .from(policyPlacements)
    .where(inArray(policyPlacements.policy_id, [...policyIds]))
    .groupBy(policyPlacements.policy_id);
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** Changes that a worker has to look at. */
export async function listUnderWayChanges(executor: Executor) {
  const { id, state } = changes;
  return executor
    .select({ id, state })
    .from(changes)
    .where(
      or(
        inArray(changes.state, [...ROLLOUT_STATES]),
        and(eq(changes.state, 'approved'), isNotNull(changes.apply_request)),
        changes.removes_log,
      ),
    )
    .orderBy(asc(changes.id));
}
