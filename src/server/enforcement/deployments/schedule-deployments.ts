import type { DeploymentProblem } from '@/domain/deployments';
import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { MAX_ATTEMPTS } from '../../jobs/queries/run-leases';
import { recoverRuns } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { type DeploymentRow, deploymentLeases } from '../queries/deployments';
import { deploymentChanged } from './deployment-changed';
import { scheduleRemovals } from './removal/schedule-removals';
import { startDeployments } from './start-deployments';

const scope = systemScope('policy:apply', 'deployment schedule');

const WORKER_DIED: DeploymentProblem = {
  code: 'worker_died',
  message: `The worker died ${MAX_ATTEMPTS} times during this deployment.`,
  remedy:
    'Look into the log of the worker; it may lack memory. Then retry: what was written stays and is gone on from.',
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

async function giveUp(row: Orphan): Promise<void> {
  await db.transaction(async (tx) => {
    const outcome = { problems: [...row.problems, WORKER_DIED], finished_at: clock.now().toISOString() };
    if (!(await deploymentLeases.fail(tx, row.id, outcome))) return;
    await deploymentChanged(tx, row);
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
 * Called every minute: deployments without a worker get a job again, or are given up after too many attempts; what moves left
 * behind is tried again.
 */
export async function scheduleDeployments(): Promise<void> {
  const orphans = await deploymentLeases.listOrphans(db, ORPHAN_COLUMNS);
  await recoverRuns(orphans, { restart: ({ id }) => startDeployments([id]), giveUp });
  await scheduleRemovals();
}
