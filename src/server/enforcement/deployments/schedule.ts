import type { DeploymentProblem } from '@/domain/deployments';
import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { policyApply, policyCleanup } from '../../jobs/definitions';
import { enqueue, enqueueOrWait } from '../../jobs/enqueue';
import { formatWorkerCrash } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { groupBy } from '../../lib/group-by';
import { newId } from '../../lib/ids';
import { insertDeploymentGuests } from '../queries/deployment-guests';
import { type DeploymentRow, deploymentLeases, insertDeployment, listDeploymentKinds } from '../queries/deployments';
import { type LeftBehind, listDueRemovals } from '../queries/residual-rules';
import { publishDeploymentChange } from './outcome';

/**
 * Hands waiting deployments to the queue, after the transaction that made them. When the queue does not answer they
 * keep waiting: the schedule finds them within a minute.
 */
export async function startDeployments(ids: readonly string[]): Promise<void> {
  await enqueueOrWait('deployments', { deployment_ids: ids }, async () => {
    for (const { id, kind } of await listDeploymentKinds(db, ids)) {
      await enqueue(kind === 'apply' ? policyApply : policyCleanup, { deployment_id: id });
    }
  });
}

/**
 * Notes inside the caller's transaction that what policies left on these workloads is to be removed, and nothing else is
 * written there. The deployments are the system's: neither tenant sees them, since each would read the other's state.
 * @returns their ids, for `startDeployments` after the commit
 */
export async function requestRemovalIn(tx: Tx, left: readonly Omit<LeftBehind, 'on_move'>[]): Promise<string[]> {
  const operation_id = newId();
  const ids: string[] = [];
  for (const rows of groupBy(left, ({ policy_id, cluster_id }) => `${policy_id} ${cluster_id}`).values()) {
    const [first] = rows;
    if (!first) continue;
    const { policy_id, policy_name, cluster_id } = first;
    const id = await insertDeployment(tx, {
      operation_id,
      policy_id,
      policy_name,
      policy_version: Math.max(...rows.map(({ policy_version }) => policy_version)),
      tenant_id: null,
      project_id: null,
      cluster_id,
      kind: 'removal',
      trigger: 'moved',
      requested_by: null,
    });
    await insertDeploymentGuests(
      tx,
      rows.map(({ workload_id, vmid, workload_name }) => ({
        deployment_id: id,
        workload_id,
        vmid,
        name: workload_name,
      })),
    );
    await publishDeploymentChange(tx, { id, policy_id, tenant_id: null, project_id: null });
    ids.push(id);
  }
  return ids;
}

/** Called every minute: what moves left behind and could not be removed is tried again, at least every quarter of an hour. */
export async function scheduleRemovals(): Promise<void> {
  const ids = await db.transaction(async (tx) => requestRemovalIn(tx, await listDueRemovals(tx)));
  await startDeployments(ids);
}

const scope = systemScope('policy:apply', 'deployment schedule');

const WORKER_DIED: DeploymentProblem = {
  code: 'worker_died',
  message: formatWorkerCrash('deployment'),
  remedy: 'Check the worker log; the worker may be out of memory. Then retry: the deployment resumes where it stopped.',
};

const ORPHAN_COLUMNS = [
  'kind',
  'policy_id',
  'policy_name',
  'cluster_id',
  'tenant_id',
  'project_id',
  'problems',
] as const;
type Orphan = Pick<DeploymentRow, 'id' | (typeof ORPHAN_COLUMNS)[number]>;

async function failDeployment(row: Orphan): Promise<void> {
  await db.transaction(async (tx) => {
    const outcome = { problems: [...row.problems, WORKER_DIED], finished_at: clock.now().toISOString() };
    if (!(await deploymentLeases.fail(tx, row.id, outcome))) return;
    await publishDeploymentChange(tx, row);
    await recordAudit(tx, scope, {
      action: `policy.${row.kind}_failed`,
      object_kind: 'policy',
      object_id: row.policy_id,
      object_name: row.policy_name,
      tenant_id: row.tenant_id,
      after: { deployment_id: row.id, cluster_id: row.cluster_id, code: WORKER_DIED.code },
    });
  });
}

/**
 * Runs every minute: deployments without a worker get a job again, or fail after too many attempts; removal of what
 * moves left behind is retried.
 */
export async function scheduleDeployments(): Promise<void> {
  const orphans = await deploymentLeases.listOrphans(db, ORPHAN_COLUMNS);
  await recoverRuns(orphans, { restart: ({ id }) => startDeployments([id]), giveUp: failDeployment });
  await scheduleRemovals();
}
