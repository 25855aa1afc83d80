import type { Deployment } from '@/domain/deployments';
import { ownedPart } from '@/domain/permissions';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { notFound } from '../../lib/refusals';
import { findDeployment, insertDeployment } from '../queries/deployments';
import { holdPolicyState } from '../queries/policy-states';
import { deploymentChanged } from './deployment-changed';
import { assertApplicable } from './policy-refusals';
import { readDeployment } from './read-deployment';
import { startDeployments } from './start-deployments';

/**
 * Does again what failed in a deployment, and only that: guests that are as wanted are not asked. One that failed before
 * its guests were known is done as a whole.
 * @throws AppError `not_found`; `refused` while it runs, when nothing failed, or when the policy is not to be in force
 */
export async function retryDeployment(scope: Scope<'policy:apply'>, id: string): Promise<Deployment> {
  const added = await db.transaction(async (tx) => {
    const old = await findDeployment(tx, scope.reach, id);
    if (!old) throw notFound('deployment');
    if (old.finished_at === null) throw new AppError('refused', 'The deployment has not ended yet.');
    if (old.status === 'ok') throw new AppError('refused', 'Nothing failed in this deployment.');
    const policy = await holdPolicyState(tx, old.policy_id, scope.reach);
    // What another owner has by now is not applied for the former one.
    const owner = ownedPart(policy ?? old);
    if (old.kind === 'apply') {
      if (!policy) throw notFound('policy');
      assertApplicable(policy, false);
    }
    const known = Object.values(old.guests).some((count) => count > 0);
    const newDeploymentId = await insertDeployment(tx, {
      operation_id: newId(),
      policy_id: old.policy_id,
      policy_name: policy?.name ?? old.policy_name,
      policy_version: policy?.version ?? old.policy_version,
      ...owner,
      cluster_id: old.cluster_id,
      kind: old.kind,
      trigger: 'retry',
      requested_by: scope.actor.kind === 'user' ? scope.actor.id : null,
      ...(known && { retry_of: old.id }),
    });
    await deploymentChanged(tx, { ...owner, policy_id: old.policy_id, id: newDeploymentId });
    await recordAudit(tx, scope, {
      action: 'policy.retry_requested',
      object_kind: 'policy',
      object_id: old.policy_id,
      object_name: old.policy_name,
      tenant_id: old.tenant_id,
      after: { project_id: owner.project_id, deployment_id: newDeploymentId, retry_of: old.id },
    });
    return newDeploymentId;
  });
  await startDeployments([added]);
  return readDeployment(scope, added);
}
