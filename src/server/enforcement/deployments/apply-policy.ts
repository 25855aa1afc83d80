import type { ApplyInput, ApplyResult } from '@/domain/deployments';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { ruleNamer } from '../guest-firewall/named-rules';
import { readBoard } from '../policies/board/read-board';
import { loadPolicyWorld } from '../policies/world/load-policy-world';
import { findPolicyState } from '../queries/policy-states';
import { applyResult, unresolvedOf } from './apply-result';
import { awaitDeployments } from './await-deployments';
import { dryRun } from './dry-run';
import { assertApplicable } from './policy-refusals';
import { requestApply } from './request-apply';

type Waiting = { wait: boolean; signal?: AbortSignal; timeoutMs?: number };

/**
 * Applies a policy, or says in a dry run what that would want, without asking a cluster. `finished` tells whether the
 * answer is final.
 * @throws AppError `not_found`; `refused` with `policy_mode` in audit mode, when disabled, or when no rule maps to a workload
 */
export async function applyPolicy(
  scope: Scope<'policy:apply'>,
  policyId: string,
  { dry_run, fingerprints }: ApplyInput,
  waiting: Waiting,
): Promise<ApplyResult> {
  const policy = await findPolicyState(db, policyId, scope.reach);
  if (!policy) throw notFound('policy');
  assertApplicable(policy, dry_run);
  if (dry_run) return dryRun(policy, await readBoard(), scope.reach);
  const world = await loadPolicyWorld();
  const request = await requestApply(scope, policyId, world, 'apply', fingerprints);
  if (waiting.wait) await awaitDeployments(request.ids, waiting);
  return applyResult(
    request.policy,
    request.ids,
    unresolvedOf(world, policyId),
    ruleNamer(world, scope.reach, request.policy),
  );
}
