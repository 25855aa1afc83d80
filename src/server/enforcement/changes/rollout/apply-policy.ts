import type { ChangePolicyApply } from '@/domain/change/change';
import type { Waves } from '@/domain/change/waves';
import type { Scope, Session } from '../../../auth/scope';
import { db } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { assertVersion, notFound } from '../../../lib/refusals';
import { assertApplicable, assertApplyNeedsNoApproval, assertDeployable, toRefusal } from '../../deployments/request';
import { startDeployments } from '../../deployments/schedule';
import { assertAcknowledged } from '../../impact/apply-with-impact';
import type { PolicyInputs } from '../../policies/policy-inputs';
import { assertTestsHold } from '../../policy-tests/apply-gate';
import { lockObjects } from '../../queries/managed-objects';
import { findPolicyState, lockPolicyState, type PolicyState } from '../../queries/policy-placements';
import { compileFresh } from '../compiled/compile-fresh';
import { assertTimerForLog, type Draft, insertDraft } from '../draft/create-change';
import { normalizeItems } from '../draft/normalize-items';
import { summarizeCompiled } from '../review/compile-once';
import { moveChange } from '../transition';
import { enqueueAdvance } from './advance-change';
import { startRolloutIn } from './apply-change';
import type { ApplyRights } from './apply-checks';
import { assertNoRollout } from './guard';
import { readRollouts } from './plan-rollout';

const ONE_WAVE: Waves = { canaries: null, pause_seconds: null };
const MOST_NAMED = 5;
const MAX_TITLE = 120;

/**
 * Refuses what the preview did not show, before anything is stored. What changes after this is skipped by the deployments, which
 * compare again right before each write.
 * @throws AppError `conflict` with reason `preview_outdated`
 */
function assertAsPreviewed(
  { workloads }: PolicyInputs,
  fingerprints: Readonly<Record<string, string>>,
  shown: Readonly<Record<string, string>>,
  refusal: object,
): void {
  const changed = Object.entries(fingerprints).flatMap(([id, fingerprint]) => {
    const workload = workloads.get(id);
    return workload && fingerprint !== shown[id] ? [workload] : [];
  });
  if (changed.length === 0) return;
  const names = changed.slice(0, MOST_NAMED).map(({ name, vmid }) => `${name} (${vmid})`);
  const others = changed.length - names.length;
  const list = [...names, ...(others > 0 ? [`${others} more`] : [])].join(', ');
  const message = `Since the preview, the firewall of these workloads or the desired rules changed: ${list}. Nothing was written. Preview the policy again, then apply it.`;
  throw new AppError('conflict', message, {
    extra: { ...refusal, message, reason: 'preview_outdated', workload_ids: changed.map(({ id }) => id) },
  });
}

/** @throws AppError `not_found`, `version_conflict`, `refused` in audit mode or when disabled, `conflict` where approval is required */
async function findApplicable(
  { reach }: Scope<'policy:apply'>,
  { policy_id, base_version }: ChangePolicyApply,
): Promise<PolicyState> {
  const policy = await findPolicyState(db, policy_id, reach);
  if (!policy) throw notFound('policy');
  assertVersion('policy', policy.version, base_version);
  assertApplicable(policy, false);
  await assertApplyNeedsNoApproval(db, policy);
  await assertNoRollout(db, [policy_id]);
  return policy;
}

/**
 * Applies a policy as it is stored, as a change of its own: it is created, approved and started in one transaction, so that nothing
 * is left of one that is refused.
 * @returns the id of the change
 * @throws AppError what applying a policy directly throws; `conflict` with reason `preview_outdated` when workloads differ from
 * the preview
 */
export async function applyPolicyAsChange(
  scope: Scope<'policy:apply'>,
  session: Session,
  input: ChangePolicyApply,
  rights: ApplyRights,
): Promise<string> {
  const { policy_id, confirm_within_seconds, log_new_rules, fingerprints: shown, override_tests, ...asked } = input;
  assertTimerForLog(input);
  const policy = await findApplicable(scope, input);
  const refusal = toRefusal(policy, false);
  const reason = override_tests?.reason ?? null;
  const override = await assertTestsHold(policy, { ...rights, reason }, refusal);
  const acknowledged = await assertAcknowledged(policy_id, asked, rights.impact, refusal);
  const { items, owners } = await db.transaction((tx) =>
    normalizeItems({ tx, scope, session, former: [] }, [{ kind: 'policy', policy_id, base_version: policy.version }]),
  );
  const { compiled, fingerprints } = await compileFresh(items, { log_new_rules });
  const clusterIds = compiled.workload_ids.flatMap((id) => compiled.inputs.workloads.get(id)?.cluster_id ?? []);
  assertDeployable(policy, [...new Set(clusterIds)], compiled.inputs);
  if (shown) assertAsPreviewed(compiled.inputs, fingerprints.get(policy_id) ?? {}, shown, refusal);
  const rollouts = await readRollouts(compiled.workload_ids, compiled.inputs, ONE_WAVE);
  const accepted = {
    impact_id: acknowledged?.impact_id ?? null,
    newly_blocked: acknowledged?.newly_blocked ?? null,
    override_tests: override?.reason ?? null,
    ...(override && { overridden_tests: override.ids }),
    break_glass: null,
    fingerprints: shown ? fingerprints : null,
  };
  const draft: Draft = {
    ...{ title: `Apply ${policy.name}`.slice(0, MAX_TITLE), description: '', confirm_within_seconds, waves: ONE_WAVE },
    on_failure: 'stop',
    ...{ rollback_on_failed_check: false, log_new_rules, scheduled_at: null, within_maintenance: false },
  };
  const { id, removals } = await db.transaction(async (tx) => {
    await lockObjects(tx, [policy_id]);
    const locked = await lockPolicyState(tx, policy_id, scope.reach);
    if (!locked) throw notFound('policy');
    await assertApplyNeedsNoApproval(tx, locked);
    const created = await insertDraft(tx, scope, draft, items, owners);
    const { hash, note } = summarizeCompiled(compiled);
    const values = { compiled_hash: hash, compiled: note, submitted_at: clock.now().toISOString() };
    const approved = await moveChange(tx, scope, created, 'approved', { values });
    return { id: created.id, removals: await startRolloutIn(tx, scope, approved, { compiled, rollouts, accepted }) };
  });
  await startDeployments(removals);
  await enqueueAdvance(id);
  return id;
}
