import { and, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { users } from '../../db/schema/access';
import { deploymentGuests } from '../../db/schema/deployments';
import { auditRecords, syncRuns } from '../../db/schema/operations';
import { deployments } from '../../db/schema/policies';

/** Objects whose changes can change what a test resolves to, or what filters there. */
const KINDS = [
  'security_group',
  'ip_address',
  'subnet',
  'network',
  'workload',
  'project',
  'mapping_rule',
  'cluster',
] as const;
const LIMIT = 300;

/** Records since a time that may explain another result of a test, newest first. */
export async function listCauseRecords(executor: Executor, since: string) {
  const { at, actor_kind, actor_name, tenant_id, action, object_kind, object_id, object_name, before, after } =
    auditRecords;
  return executor
    .select({ at, actor_kind, actor_name, tenant_id, action, object_kind, object_id, object_name, before, after })
    .from(auditRecords)
    .where(and(gt(auditRecords.at, since), inArray(auditRecords.object_kind, [...KINDS])))
    .orderBy(desc(auditRecords.seq))
    .limit(LIMIT);
}
export type CauseRecord = Awaited<ReturnType<typeof listCauseRecords>>[number];

/** The newest deployment since a time that wrote to one of the workloads. */
export async function findDeploymentAt(executor: Executor, workloadIds: readonly string[], since: string) {
  if (workloadIds.length === 0) return null;
  const [row] = await executor
    .select({
      deployment_id: deployments.id,
      policy_id: deployments.policy_id,
      policy_name: deployments.policy_name,
      policy_version: deployments.policy_version,
      tenant_id: deployments.tenant_id,
      kind: deployments.kind,
      workload_name: deploymentGuests.name,
      actor_name: users.email,
      at: sql<string>`coalesce(${deploymentGuests.finished_at}, ${deploymentGuests.started_at}, ${deployments.created_at})`,
    })
    .from(deploymentGuests)
    .innerJoin(deployments, eq(deployments.id, deploymentGuests.deployment_id))
    .leftJoin(users, eq(users.id, deployments.requested_by))
    .where(
      and(
        inArray(deploymentGuests.workload_id, [...workloadIds]),
        gt(deploymentGuests.writes, 0),
        sql`coalesce(${deploymentGuests.finished_at}, ${deploymentGuests.started_at}) > ${since}::timestamptz`,
      ),
    )
    .orderBy(desc(deploymentGuests.finished_at))
    .limit(1);
  return row ? { ...row, at: new Date(row.at).toISOString() } : null;
}

/** A sync or discovery of one of the clusters that is under way. */
export async function findRunningSyncRun(executor: Executor, clusterIds: readonly string[]) {
  if (clusterIds.length === 0) return null;
  const [row] = await executor
    .select({ id: syncRuns.id, kind: syncRuns.kind, cluster_id: syncRuns.cluster_id, at: syncRuns.started_at })
    .from(syncRuns)
    .where(and(inArray(syncRuns.cluster_id, [...clusterIds]), eq(syncRuns.status, 'running')))
    .limit(1);
  return row ?? null;
}
