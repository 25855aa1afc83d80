import type { ApplyResult, Deployment, DeploymentTrigger } from '@/domain/deployments';
import { type Owned, toOwner } from '@/domain/permissions';
import { recordAudit } from '../../audit/record';
import type { Actor, Origin, Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { notFound } from '../../lib/refusals';
import { assertNoRollout } from '../changes/rollout/guard';
import { ruleNamer } from '../guest-firewall/named-rules';
import { isDeployed, loadPolicyInputs, type PolicyInputs } from '../policies/policy-inputs';
import { findDeployment, findDeploymentLimit, insertDeployment, listDeployedClusterIds } from '../queries/deployments';
import { findPolicyState, listPlacedClusterIds, lockPolicyState, type PolicyState } from '../queries/policy-placements';
import { applyResult, awaitDeployments, listUnresolved, publishDeploymentChange } from './outcome';
import { readDeployment } from './reads';
import { assertApplicable, assertApplyNeedsNoApproval, requestApply, selectIn } from './request';
import { startDeployments } from './schedule';

type CleanedPolicy = Owned & { policy_id: string; policy_version: number; name: string };

/**
 * Notes inside the caller's transaction that the rules of a policy are to be removed from every cluster where it was
 * ever deployed, or from some workloads only. The caller hands the ids to `startDeployments` after the commit. They outlive the policy.
 */
export async function requestCleanupIn(
  tx: Tx,
  scope: { readonly actor: Actor; readonly origin: Origin | null },
  policy: CleanedPolicy,
  trigger: Extract<DeploymentTrigger, 'disabled' | 'audit' | 'deleted' | 'reconcile'>,
  only: { readonly inputs: PolicyInputs; readonly workloadIds: readonly string[] } | null = null,
): Promise<{ deployment_id: string; cluster_id: string }[]> {
  const clusterIds = new Set(
    only
      ? only.workloadIds.flatMap((id) => only.inputs.workloads.get(id)?.cluster_id ?? [])
      : [...(await listDeployedClusterIds(tx, policy.policy_id)), ...(await listPlacedClusterIds(tx, policy))],
  );
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
      ...(only && { workload_ids: selectIn(only.inputs, cluster_id, only.workloadIds) }),
    });
    requested.push({ deployment_id: id, cluster_id });
    await publishDeploymentChange(tx, { ...policy, id });
  }
  if (requested.length > 0) {
    await recordAudit(tx, scope, {
      action: 'policy.cleanup_requested',
      object_kind: 'policy',
      object_id: policy.policy_id,
      object_name: policy.name,
      tenant_id: policy.tenant_id,
      after: {
        project_id: policy.project_id,
        trigger,
        deployments: requested,
        ...(only && { workload_ids: only.workloadIds }),
      },
    });
  }
  return requested;
}

/**
 * Requests that what is live becomes what is intended: an enforced policy is applied, the rules of another are removed
 * wherever some of them are left. With `workloadIds`, nothing is written to other workloads.
 * @returns no ids if nothing of the policy was ever applied
 * @throws AppError what `requestApply` throws; `not_found`
 */
export async function requestReconcile(
  scope: Scope<'policy:apply'>,
  policyId: string,
  inputs: PolicyInputs,
  workloadIds: readonly string[] | null,
): Promise<{ policy: PolicyState; ids: string[] }> {
  const found = await findPolicyState(db, policyId, scope.reach);
  if (!found) throw notFound('policy');
  if (isDeployed(found)) {
    return requestApply(scope, policyId, inputs, 'reconcile', undefined, undefined, null, workloadIds);
  }
  const { policy, requested } = await db.transaction(async (tx) => {
    const policy = await lockPolicyState(tx, policyId, scope.reach);
    if (!policy) throw notFound('policy');
    await assertNoRollout(tx, [policyId]);
    const { id, version, name, tenant_id, project_id } = policy;
    const subject = { policy_id: id, policy_version: version, name, tenant_id, project_id };
    const limit = workloadIds && { inputs, workloadIds };
    const requested = await requestCleanupIn(tx, scope, subject, 'reconcile', limit);
    if (requested.length > 0) await assertApplyNeedsNoApproval(tx, policy);
    return { policy, requested };
  });
  const ids = requested.map(({ deployment_id }) => deployment_id);
  if (ids.length > 0) await startDeployments(ids);
  return { policy, ids };
}

/**
 * Makes what is live what is intended, on all workloads of a policy. @throws AppError what `requestReconcile` throws
 */
export async function reconcilePolicy(
  scope: Scope<'policy:apply'>,
  policyId: string,
  waiting: { wait: boolean; signal?: AbortSignal },
): Promise<ApplyResult> {
  const inputs = await loadPolicyInputs();
  const { policy, ids } = await requestReconcile(scope, policyId, inputs, null);
  if (ids.length === 0) {
    return {
      policy_id: policy.id,
      policy_version: policy.version,
      policy_mode: policy.definition.enforcement_mode,
      dry_run: false,
      success: true,
      applied: false,
      message: 'The policy was never deployed, so there is nothing to remove.',
      operation_id: null,
      finished: true,
      clusters: [],
      unresolved: [],
    };
  }
  if (waiting.wait) await awaitDeployments(ids, waiting);
  const unresolved = isDeployed(policy) ? listUnresolved(inputs, policyId) : [];
  return applyResult(policy, ids, unresolved, ruleNamer(inputs, scope.reach, policy));
}

/**
 * Retries what failed in a deployment, and only that: guests that are in sync are not contacted. A deployment that
 * failed before its guests were known is repeated as a whole.
 * @throws AppError `not_found`; `refused` while it runs, when nothing failed, or when the policy is not to be
 *   enforced
 */
export async function retryDeployment(scope: Scope<'policy:apply'>, id: string): Promise<Deployment> {
  const added = await db.transaction(async (tx) => {
    const old = await findDeployment(tx, scope.reach, id);
    if (!old) throw notFound('deployment');
    if (old.finished_at === null) throw new AppError('refused', 'The deployment has not ended yet.');
    const policy = await lockPolicyState(tx, old.policy_id, scope.reach);
    await assertNoRollout(tx, [old.policy_id]);
    if (old.kind === 'log_removal') throw new AppError('refused', 'It is retried automatically until it succeeds.');
    if (old.status === 'ok') throw new AppError('refused', 'This deployment has no failures to retry.');
    // What another owner has by now is not applied for the former one.
    const owner = toOwner(policy ?? old);
    if (old.kind === 'apply') {
      if (!policy) throw notFound('policy');
      assertApplicable(policy, false);
    }
    // The removal of a deleted policy only finishes what was decided with the deletion.
    if (policy && old.kind !== 'removal') await assertApplyNeedsNoApproval(tx, policy);
    const limited = await findDeploymentLimit(tx, old.id);
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
      ...(limited && { workload_ids: limited }),
    });
    await publishDeploymentChange(tx, { ...owner, policy_id: old.policy_id, id: newDeploymentId });
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
