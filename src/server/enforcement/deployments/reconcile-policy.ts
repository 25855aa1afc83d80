import type { ApplyResult } from '@/domain/deployments';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { ruleNamer } from '../guest-firewall/named-rules';
import { isDeployed, loadPolicyWorld } from '../policies/world/load-policy-world';
import { findPolicyState, holdPolicyState } from '../queries/policy-states';
import { applyResult, unresolvedOf } from './apply-result';
import { awaitDeployments } from './await-deployments';
import { requestApply } from './request-apply';
import { requestCleanupIn } from './request-cleanup';
import { startDeployments } from './start-deployments';

/**
 * Makes what is live what is intended: an enforced policy is applied, the rules of another are removed wherever some of
 * them are left. @throws AppError `not_found`, `refused`
 */
export async function reconcilePolicy(
  scope: Scope<'policy:apply'>,
  policyId: string,
  waiting: { wait: boolean; signal?: AbortSignal },
): Promise<ApplyResult> {
  const found = await findPolicyState(db, policyId, scope.reach);
  if (!found) throw notFound('policy');
  const world = await loadPolicyWorld();
  if (isDeployed(found)) {
    const { policy, ids } = await requestApply(scope, policyId, world, 'reconcile');
    if (waiting.wait) await awaitDeployments(ids, waiting);
    return applyResult(policy, ids, unresolvedOf(world, policyId), ruleNamer(world, scope.reach, policy));
  }
  const { policy, requested } = await db.transaction(async (tx) => {
    const policy = await holdPolicyState(tx, policyId, scope.reach);
    if (!policy) throw notFound('policy');
    const { id, version, name, tenant_id, project_id } = policy;
    const subject = { policy_id: id, policy_version: version, name, tenant_id, project_id };
    return { policy, requested: await requestCleanupIn(tx, scope, subject, 'reconcile') };
  });
  if (requested.length === 0) {
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
  const ids = requested.map(({ deployment_id }) => deployment_id);
  await startDeployments(ids);
  if (waiting.wait) await awaitDeployments(ids, waiting);
  return applyResult(policy, ids, [], ruleNamer(world, scope.reach, policy));
}
