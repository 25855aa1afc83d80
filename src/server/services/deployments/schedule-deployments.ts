import type { DeploymentProblem } from '@/domain/deployments';
import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import {
  type DeploymentRow,
  failOrphanDeployment,
  listOrphanDeployments,
  MAX_ATTEMPTS,
} from '../../repositories/deployments';
import { deploymentChanged } from './deployment-changed';
import { scheduleRemovals } from './removal/schedule-removals';
import { startDeployments } from './start-deployments';

/** A deployment waits this long for its job before the job counts as lost. */
const QUEUED_SECONDS = 30;

const scope = systemScope('policy:apply', 'deployment schedule');

const WORKER_DIED: DeploymentProblem = {
  code: 'worker_died',
  message: `The worker died ${MAX_ATTEMPTS} times during this deployment.`,
  remedy:
    'Look into the log of the worker; it may lack memory. Then retry: what was written stays and is gone on from.',
};

async function giveUp(row: DeploymentRow): Promise<void> {
  await db.transaction(async (tx) => {
    const problems = [...row.problems, WORKER_DIED];
    if (!(await failOrphanDeployment(tx, row, problems, clock.now().toISOString()))) return;
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
  for (const row of await listOrphanDeployments(db, QUEUED_SECONDS)) {
    if (row.status === 'running' && row.attempts >= MAX_ATTEMPTS) await giveUp(row);
    else await startDeployments([row.id]);
  }
  await scheduleRemovals();
}
