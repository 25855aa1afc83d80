import type { DeploymentTrigger } from '@/domain/deployments';
import { ownedPart } from '@/domain/permissions';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { newId } from '../../lib/ids';
import { notFound } from '../../lib/refusals';
import { compileWorld, type PolicyWorld } from '../policies/world/load-policy-world';
import { insertDeployment } from '../queries/deployments';
import { listPlacedClusterIds } from '../queries/policy-placements';
import { holdPolicyState, type PolicyState } from '../queries/policy-states';
import { deploymentChanged } from './deployment-changed';
import { guestsOf } from './guest-work';
import { assertApplicable, refuseUnmapped } from './policy-refusals';
import { startDeployments } from './start-deployments';
import { unmappedRules } from './unmapped-rules';

/** Clusters where the policy wants something now. */
function wantedClusters(world: PolicyWorld, policyId: string): string[] {
  const ids = guestsOf(compileWorld(world), policyId).map(({ cluster_id }) => cluster_id);
  return [...new Set(ids)];
}

/** Those of the workloads of one cluster. */
const fingerprintsIn = (
  { workloads }: PolicyWorld,
  clusterId: string,
  fingerprints: Readonly<Record<string, string>>,
) => Object.fromEntries(Object.entries(fingerprints).filter(([id]) => workloads.get(id)?.cluster_id === clusterId));

/**
 * Has a policy applied on every cluster where it wants something or may still stand. A deployment of it that waits
 * already will do: it reads what is wanted when it begins. With fingerprints of a preview, nothing is written but what the
 * preview showed.
 * @throws AppError `not_found`; `refused` with `policy_mode` in audit mode, when disabled, or when no rule maps to a workload
 */
export async function requestApply(
  scope: Scope<'policy:apply'>,
  policyId: string,
  world: PolicyWorld,
  trigger: Extract<DeploymentTrigger, 'apply' | 'reconcile' | 'apply_pending'>,
  fingerprints?: Readonly<Record<string, string>>,
): Promise<{ policy: PolicyState; ids: string[] }> {
  const { policy, ids } = await db.transaction(async (tx) => {
    const policy = await holdPolicyState(tx, policyId, scope.reach);
    if (!policy) throw notFound('policy');
    assertApplicable(policy, false);
    const clusters = new Set([
      ...wantedClusters(world, policyId),
      ...(await listPlacedClusterIds(tx, { ...policy, policy_id: policyId })),
    ]);
    if (clusters.size === 0) {
      const own = world.policies.find(({ id }) => id === policyId);
      const unmapped = own && unmappedRules(own, compileWorld(world));
      throw refuseUnmapped(
        policy,
        false,
        unmapped?.message ?? `${policy.name} has no enabled rule and no default to apply.`,
      );
    }
    const operation_id = newId();
    const ids: string[] = [];
    for (const cluster_id of [...clusters].sort()) {
      const id = await insertDeployment(tx, {
        operation_id,
        policy_id: policyId,
        policy_name: policy.name,
        policy_version: policy.version,
        tenant_id: policy.tenant_id,
        project_id: policy.project_id,
        cluster_id,
        kind: 'apply',
        trigger,
        requested_by: scope.actor.kind === 'user' ? scope.actor.id : null,
        ...(fingerprints && { fingerprints: fingerprintsIn(world, cluster_id, fingerprints) }),
      });
      ids.push(id);
      await deploymentChanged(tx, { ...ownedPart(policy), id, policy_id: policyId });
    }
    await recordAudit(tx, scope, {
      action: 'policy.apply_requested',
      object_kind: 'policy',
      object_id: policyId,
      object_name: policy.name,
      tenant_id: policy.tenant_id,
      after: {
        project_id: policy.project_id,
        deployment_ids: ids,
        policy_version: policy.version,
        trigger,
        ...(fingerprints && { previewed_workloads: Object.keys(fingerprints).length }),
      },
    });
    return { policy, ids };
  });
  await startDeployments(ids);
  return { policy, ids };
}
