import type { DeploymentTrigger } from '@/domain/deployments';
import type { Owned } from '@/domain/permissions';
import { recordAudit } from '../../audit/record';
import type { Actor, Origin } from '../../auth/scope';
import type { Tx } from '../../db/client';
import { newId } from '../../lib/ids';
import { insertDeployment, listDeployedClusterIds } from '../queries/deployments';
import { listPlacedClusterIds } from '../queries/policy-placements';
import { deploymentChanged } from './deployment-changed';

type CleanedPolicy = Owned & { policy_id: string; policy_version: number; name: string };

/**
 * Notes inside the caller's transaction that the rules of a policy are to be removed from every cluster where it was
 * ever deployed. The caller hands the ids to `startDeployments` after the commit. They outlive the policy.
 */
export async function requestCleanupIn(
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  policy: CleanedPolicy,
  trigger: Extract<DeploymentTrigger, 'disabled' | 'audit' | 'deleted' | 'reconcile'>,
): Promise<{ deployment_id: string; cluster_id: string }[]> {
  const clusterIds = new Set([
    ...(await listDeployedClusterIds(tx, policy.policy_id)),
    ...(await listPlacedClusterIds(tx, policy)),
  ]);
  const operation_id = newId();
  const requested: { deployment_id: string; cluster_id: string }[] = [];
  for (const cluster_id of [...clusterIds].sort()) {
    const id = await insertDeployment(tx, {
      operation_id,
      policy_id: policy.policy_id,
      policy_name: policy.name,
      policy_version: policy.policy_version,
      tenant_id: policy.tenant_id,
      project_id: policy.project_id,
      cluster_id,
      kind: 'cleanup',
      trigger,
      requested_by: scope.actor.kind === 'user' ? scope.actor.id : null,
    });
    requested.push({ deployment_id: id, cluster_id });
    await deploymentChanged(tx, { ...policy, id });
  }
  if (requested.length > 0) {
    await recordAudit(tx, scope, {
      action: 'policy.cleanup_requested',
      object_kind: 'policy',
      object_id: policy.policy_id,
      object_name: policy.name,
      tenant_id: policy.tenant_id,
      after: { project_id: policy.project_id, trigger, deployments: requested },
    });
  }
  return requested;
}
