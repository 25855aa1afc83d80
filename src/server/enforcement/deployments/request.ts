import { z } from 'zod';
import type {
  ApplyInput,
  ApplyPendingInput,
  ApplyPendingResult,
  ApplyResult,
  DeploymentTrigger,
} from '@/domain/deployments';
import type { ImpactReader } from '@/domain/impact/stored-impact';
import { toOwner } from '@/domain/permissions';
import { describeOversize, findOversizeAlone } from '@/domain/policy/file-size';
import type { ClusterDeployment } from '@/domain/policy-deployment';
import { equalJson } from '../../audit/canonical';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Executor } from '../../db/client';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { notFound } from '../../lib/refusals';
import { assertNoApprovalNeeded, combineRefused } from '../changes/gate';
import { assertNoRollout } from '../changes/rollout/guard';
import { ruleNamer } from '../guest-firewall/named-rules';
import { type Acknowledged, assertAcknowledged } from '../impact/apply-with-impact';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { compileInputs, isDeployed, loadPolicyInputs, type PolicyInputs } from '../policies/policy-inputs';
import { assertTestsHold, NO_TEST_RIGHTS, type TestRights } from '../policy-tests/apply-gate';
import { insertDeployment } from '../queries/deployments';
import { acknowledgeImpact } from '../queries/impacts';
import {
  findPolicyState,
  listPlacedClusterIds,
  listPlacementsByPolicies,
  listPolicyStates,
  lockPolicyState,
  type PlacementRow,
  type PolicyState,
} from '../queries/policy-placements';
import { dryRun } from './dry-run';
import { getPolicyDrops, listDesiredGuests, selectPolicyRules, unmappedRules } from './guest-work';
import { applyResult, awaitDeployments, listUnresolved, publishDeploymentChange } from './outcome';
import { startDeployments } from './schedule';

/** What every apply response says about the policy, including refusals. */
export const toRefusal = (policy: PolicyState, dry_run: boolean) => ({
  policy_id: policy.id,
  policy_version: policy.version,
  policy_mode: policy.definition.enforcement_mode,
  success: false,
  applied: false,
  dry_run,
});

const createRefusal = (policy: PolicyState, dry_run: boolean, message: string) =>
  new AppError('refused', message, { extra: { ...toRefusal(policy, dry_run), message } });

/** @throws AppError `refused`, with `policy_mode`, for a policy that is not to be enforced */
export function assertApplicable(policy: PolicyState, dryRun: boolean): void {
  if (policy.definition.enforcement_mode === 'audit') {
    throw createRefusal(
      policy,
      dryRun,
      `${policy.name} is in audit mode: its rules are only evaluated. Set its mode to enforced to apply it.`,
    );
  }
  if (!policy.enabled) throw createRefusal(policy, dryRun, `${policy.name} is disabled. Enable it to apply it.`);
}

/** Nothing of the policy can be put anywhere. */
export const createUnmappedRefusal = (policy: PolicyState, dryRun: boolean, message: string) =>
  createRefusal(policy, dryRun, message);

/**
 * @param clusterIds where the policy requires rules or may still have some
 * @throws AppError `refused` when there is none, or nothing could be written to any of them
 */
export function assertDeployable(policy: PolicyState, clusterIds: readonly string[], inputs: PolicyInputs): void {
  if (clusterIds.length === 0) {
    const own = inputs.policies.find(({ id }) => id === policy.id);
    const unmapped = own && unmappedRules(own, compileInputs(inputs));
    const nothing = `${policy.name} has no enabled rule and no default policy to apply.`;
    throw createUnmappedRefusal(policy, false, unmapped?.message ?? nothing);
  }
  assertFits(policy, inputs);
  assertWritable(policy, clusterIds, inputs);
}

/** @throws AppError `refused` when what the policy wants at a workload does not fit into its firewall file, whatever else is there */
function assertFits(policy: PolicyState, inputs: PolicyInputs): void {
  for (const desired of listDesiredGuests(compileInputs(inputs), policy.id)) {
    const rules = selectPolicyRules(policy.id, { desired });
    const referred = new Set(rules.flatMap(({ content }) => [content.source, content.dest]));
    const sets = desired.sets.filter(({ name }) => referred.has(`+guest/${name}`));
    const oversize = findOversizeAlone(rules, sets);
    if (!oversize) continue;
    const workload = inputs.workloads.get(desired.workload_id);
    const place = `${workload?.name ?? 'the workload'} (${desired.vmid})`;
    throw createRefusal(policy, false, describeOversize(oversize, place));
  }
}

/** @throws AppError `refused` when the token of every cluster is read-only: nothing could be written, so nothing is started */
function assertWritable(policy: PolicyState, clusterIds: readonly string[], { clusters }: PolicyInputs): void {
  const readOnly = clusterIds.flatMap((id) => {
    const { name, missing_write_privileges: missing } = clusters.get(id) ?? {};
    return missing && missing.length > 0 ? [{ name, missing }] : [];
  });
  if (readOnly.length < clusterIds.length) return;
  const which = readOnly.map(({ name, missing }) => `${name} (${missing.join(', ')})`).join(', ');
  throw createRefusal(
    policy,
    false,
    `The API token is read-only: privileges are missing on ${which}. Grant them to the token, and to its user if privileges are separated, then sync the cluster.`,
  );
}

/**
 * Refuses to write what a policy says now where its owner requires approvals.
 * @throws AppError `conflict`, with the change that applies the policy as it is stored
 */
export const assertApplyNeedsNoApproval = (executor: Executor, policy: PolicyState): Promise<void> =>
  assertNoApprovalNeeded(executor, [policy], {
    isEnforcing: true,
    title: `Apply ${policy.name}`,
    items: [{ kind: 'policy', policy_id: policy.id, base_version: policy.version }],
  });

/** Clusters where the policy wants something now. */
function requestedClusters(inputs: PolicyInputs, policyId: string): string[] {
  const ids = listDesiredGuests(compileInputs(inputs), policyId).map(({ cluster_id }) => cluster_id);
  return [...new Set(ids)];
}

/** Those of the workloads of one cluster. */
const fingerprintsIn = (
  { workloads }: PolicyInputs,
  clusterId: string,
  fingerprints: Readonly<Record<string, string>>,
) => Object.fromEntries(Object.entries(fingerprints).filter(([id]) => workloads.get(id)?.cluster_id === clusterId));

/** The workloads that are in one cluster. */
export const selectIn = ({ workloads }: PolicyInputs, clusterId: string, ids: readonly string[]): string[] =>
  ids.filter((id) => workloads.get(id)?.cluster_id === clusterId);

/**
 * Requests a deployment of a policy on every cluster where it requires rules or may still have some. A deployment of
 * it that is already waiting is reused: it reads the desired state when it starts. With fingerprints of a preview,
 * only what the preview showed is written; with `workloadIds`, only to these workloads.
 * @throws AppError what `assertTestsHold` and `assertNoApprovalNeeded` throw; `conflict` while a change with it is rolled out; `not_found`; `refused` with `policy_mode` in audit mode, when disabled, or when no rule maps to a
 *   workload
 */
export async function requestApply(
  scope: Scope<'policy:apply'>,
  policyId: string,
  inputs: PolicyInputs,
  trigger: Extract<DeploymentTrigger, 'apply' | 'reconcile' | 'apply_pending'>,
  fingerprints?: Readonly<Record<string, string>>,
  rights: TestRights = NO_TEST_RIGHTS,
  acknowledged: Acknowledged = null,
  workloadIds: readonly string[] | null = null,
): Promise<{ policy: PolicyState; ids: string[] }> {
  const known = await findPolicyState(db, policyId, scope.reach);
  if (!known) throw notFound('policy');
  assertApplicable(known, false);
  // Before the tests: who cannot override them can still submit a change.
  await assertApplyNeedsNoApproval(db, known);
  const override = await assertTestsHold(known, rights, toRefusal(known, false));
  const { policy, ids } = await db.transaction(async (tx) => {
    const policy = await lockPolicyState(tx, policyId, scope.reach);
    if (!policy) throw notFound('policy');
    assertApplicable(policy, false);
    await assertApplyNeedsNoApproval(tx, policy);
    await assertNoRollout(tx, [policyId]);
    const clusters = new Set(
      workloadIds
        ? workloadIds.flatMap((id) => inputs.workloads.get(id)?.cluster_id ?? [])
        : [
            ...requestedClusters(inputs, policyId),
            ...(await listPlacedClusterIds(tx, { ...policy, policy_id: policyId })),
          ],
    );
    assertDeployable(policy, [...clusters], inputs);
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
        ...(fingerprints && { fingerprints: fingerprintsIn(inputs, cluster_id, fingerprints) }),
        ...(workloadIds && { workload_ids: selectIn(inputs, cluster_id, workloadIds) }),
      });
      ids.push(id);
      await publishDeploymentChange(tx, { ...toOwner(policy), id, policy_id: policyId });
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
        ...(workloadIds && { workload_ids: workloadIds }),
        ...(fingerprints && { previewed_workloads: Object.keys(fingerprints).length }),
        ...(override && { override_tests: { reason: override.reason, tests: override.tests } }),
        ...(acknowledged && { impact: acknowledged }),
      },
    });
    if (acknowledged) await acknowledgeImpact(tx, acknowledged.impact_id);
    return { policy, ids };
  });
  await startDeployments(ids);
  return { policy, ids };
}

type Waiting = { wait: boolean; signal?: AbortSignal; timeoutMs?: number };

/**
 * Applies a policy, or returns in a dry run what applying it would require, without contacting a cluster. `finished`
 * says whether the answer is final.
 * @throws AppError what `assertAcknowledged` throws; `not_found`; `refused` with `policy_mode` in audit mode, when disabled, or when no rule maps to a
 *   workload
 */
export async function applyPolicy(
  scope: Scope<'policy:apply'>,
  policyId: string,
  { dry_run, fingerprints, override_tests, ...asked }: ApplyInput,
  waiting: Waiting,
  rights: Omit<TestRights, 'reason'> & { impact?: ImpactReader } = NO_TEST_RIGHTS,
): Promise<ApplyResult> {
  const policy = await findPolicyState(db, policyId, scope.reach);
  if (!policy) throw notFound('policy');
  assertApplicable(policy, dry_run);
  if (dry_run) return dryRun(policy, await readFirewallState(), scope.reach);
  const reader = rights.impact ?? { policies: scope.reach, tests: null, flows: null };
  const acknowledged = await assertAcknowledged(policyId, asked, reader, toRefusal(policy, false));
  const inputs = await loadPolicyInputs();
  const given = { ...rights, reason: override_tests?.reason ?? null };
  const request = await requestApply(scope, policyId, inputs, 'apply', fingerprints, given, acknowledged);
  if (waiting.wait) await awaitDeployments(request.ids, waiting);
  return applyResult(
    request.policy,
    request.ids,
    listUnresolved(inputs, policyId),
    ruleNamer(inputs, scope.reach, request.policy),
  );
}

/** Whether what was last applied of the policy is not what it wants now; live rules are not looked at. */
function isPending(policyId: string, inputs: PolicyInputs, placements: readonly PlacementRow[]): boolean {
  const open = new Map(placements.map((row) => [row.workload_id, row]));
  for (const desired of compileInputs(inputs).guests) {
    const rules = selectPolicyRules(policyId, { desired });
    const { drop_in, drop_out } = getPolicyDrops(policyId, { desired });
    if (rules.length === 0 && !drop_in && !drop_out) continue;
    const row = open.get(desired.workload_id);
    if (!row || row.applied_at === null || row.drop_in !== drop_in || row.drop_out !== drop_out) return true;
    // Stored as JSON, which knows no difference between absent and undefined.
    if (!equalJson(row.rules, rules)) return true;
    open.delete(desired.workload_id);
  }
  // The rest was applied where nothing is desired any more.
  return open.size > 0;
}

const isOrderPending = ({ reasons }: Pick<ClusterDeployment, 'reasons'>) => reasons.includes('order_pending');

/**
 * Requests the same for several policies. One that cannot be done is reported, and the others are done.
 * @throws AppError what the only policy is refused for; `conflict` with the change to submit when all that is refused needs approval
 * and nothing was started
 */
export async function requestEach(
  title: string,
  policies: readonly { readonly id: string; readonly name: string }[],
  request: (policyId: string) => Promise<{ readonly ids: string[] }>,
): Promise<ApplyPendingResult> {
  const operations: ApplyPendingResult['operations'] = [];
  const refused: AppError[] = [];
  for (const { id: policy_id, name: policy_name } of policies) {
    try {
      const { ids } = await request(policy_id);
      operations.push({ policy_id, policy_name, deployment_ids: ids, message: null });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push(error);
      operations.push({ policy_id, policy_name, deployment_ids: [], message: error.message });
    }
  }
  const change = combineRefused(title, refused);
  const [first] = refused;
  if (first && change && refused.length === policies.length) {
    throw new AppError('conflict', first.message, { extra: { ...first.extra, change, operations } });
  }
  return { change: change && { ...change, items: [...change.items] }, operations };
}

/**
 * Applies every visible policy whose desired state differs from what was last applied: policies that changed, whose
 * groups, addresses or networks changed, or that were applied in another order than is desired now.
 */
export async function applyPending(
  scope: Scope<'policy:apply'>,
  { impacts }: ApplyPendingInput,
  reader: ImpactReader,
): Promise<ApplyPendingResult> {
  const policies = (await listPolicyStates(db, scope.reach)).filter(isDeployed);
  const inputs = await loadPolicyInputs();
  const placements = await listPlacementsByPolicies(
    db,
    policies.map(({ id }) => id),
  );
  const firewall = await readFirewallState();
  const waitsForOrder = (id: string) => {
    const policy = firewall.inputs.policies.find((one) => one.id === id);
    return policy !== undefined && firewall.standingOf(policy).deployments.some(isOrderPending);
  };
  const pending = policies.filter(({ id }) => {
    const own = placements.filter(({ policy_id }) => policy_id === id);
    return isPending(id, inputs, own) || waitsForOrder(id);
  });
  return requestEach('Apply pending policies', pending, async (id) => {
    const seen = impacts.find(({ policy_id }) => policy_id === id);
    const acknowledged = seen ? await assertAcknowledged(id, seen, reader, {}) : null;
    return requestApply(scope, id, inputs, 'apply_pending', undefined, NO_TEST_RIGHTS, acknowledged);
  });
}

/** What the response to a malformed apply says about the policy; null when none is visible to the caller. */
export async function describeRefusal(scope: Scope<'policy:apply'>, policyId: string) {
  if (!z.uuid().safeParse(policyId).success) return null;
  const policy = await findPolicyState(db, policyId, scope.reach);
  return policy && toRefusal(policy, false);
}
