import type { ChangeApply } from '@/domain/change/change';
import { listObjectIds } from '@/domain/change/item-objects';
import type { StoredApplyRequest } from '@/domain/change/rollout';
import type { Rollout } from '@/domain/change/waves';
import type { Scope } from '../../../auth/scope';
import { db, type Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { assertVersion, notFound } from '../../../lib/refusals';
import { startDeployments } from '../../deployments/schedule';
import { policiesById } from '../../policies/policy-inputs';
import { addChangeObjects } from '../../queries/change-rollouts';
import { type ChangeRow, findChange, lockChange, updateChangeIn } from '../../queries/changes';
import { acknowledgeImpact } from '../../queries/impacts';
import { lockObjects } from '../../queries/managed-objects';
import { insertTemporaryLogs } from '../../queries/temporary-logs';
import type { CompiledChange } from '../compiled/compile-change';
import { assertStillApproved } from '../review/revalidate';
import { moveChange, publishChange, recordChange, refuseStep } from '../transition';
import { enqueueAdvance } from './advance-change';
import { type Accepted, type ApplyRights, checkApply, compileToApply, findStart } from './apply-checks';
import { assertBases } from './assert-bases';
import { assertActsForAll } from './decide-change';
import { assertNoRollout } from './guard';
import { createRollout, describeTouched, readRollouts, readTestResults, storeWaves } from './plan-rollout';
import { type Acting, storeItems } from './store-items';

/** What of a roll-out is computed before its transaction. */
export type Prepared = {
  readonly compiled: CompiledChange;
  readonly rollouts: readonly Rollout[];
  readonly accepted: Accepted;
};

/**
 * Stores the content of a change and plans its waves, inside the caller's transaction.
 * @returns removals for `startDeployments` after the commit
 * @throws AppError as `startRollout`
 */
export async function startRolloutIn(
  tx: Tx,
  by: Acting,
  locked: ChangeRow,
  { compiled, rollouts, accepted }: Prepared,
): Promise<string[]> {
  const { id } = locked;
  // By the rules, the inventory and the live rules of now, whatever they were when it was approved.
  // What expires was approved with the policy.
  if (accepted.break_glass === null && locked.expiry === null) await assertStillApproved(tx, locked);
  const objects = [...compiled.touched.map(({ policy_id }) => policy_id), ...locked.items.flatMap(listObjectIds)];
  // Until the commit no other change or request can start with one of them, also one that a group of this change leads to.
  await lockObjects(tx, objects);
  await assertBases(tx, locked);
  await assertNoRollout(tx, objects, { change_id: id });
  const { inputs } = compiled.firewall;
  const touched = await describeTouched(tx, compiled.touched, policiesById(inputs.policies), accepted.fingerprints);
  const removals = await storeItems(tx, by, locked, inputs.index);
  await addChangeObjects(tx, id, objects);
  await storeWaves(tx, id, rollouts, locked.waves);
  await insertTemporaryLogs(tx, id, compiled.logs);
  const change = await approveIfNeeded(tx, by, locked, accepted.break_glass);
  const tests = await readTestResults(tx, compiled.workload_ids);
  const { actor } = by;
  const { impact_id, newly_blocked } = accepted;
  if (impact_id !== null) await acknowledgeImpact(tx, impact_id);
  await moveChange(tx, by, change, 'applying', {
    comment: accepted.break_glass ?? accepted.override_tests ?? '',
    values: {
      rollout: createRollout(touched, actor.kind === 'user' ? actor.id : null, tests, accepted),
      problems: [],
      impact_id,
      newly_blocked,
      break_glass_reason: accepted.break_glass,
      applied_at: clock.now().toISOString(),
    },
    log_new_rules: locked.log_new_rules,
    ...(impact_id !== null && { impact: { impact_id, newly_blocked: newly_blocked ?? 0 } }),
  });
  return removals;
}

/**
 * Stores the content of a change and plans its waves, in one transaction; the workers then write it.
 * @param requestedAt when the request for it was made; null: it is made now
 * @throws AppError `version_conflict`; `conflict` when another change with one of its objects is being rolled out, and when the request
 * has ended
 */
export async function startRollout(
  by: Acting,
  id: string,
  version: number,
  compiled: CompiledChange,
  accepted: Accepted,
  requestedAt: string | null = null,
): Promise<void> {
  const { waves } = await readRow(id);
  const written = new Set(compiled.touched.flatMap(({ workload_ids }) => workload_ids));
  const inWaves = compiled.workload_ids.filter((workload_id) => written.has(workload_id));
  const rollouts = await readRollouts(inWaves, compiled.inputs, waves);
  const removals = await db.transaction(async (tx) => {
    const locked = await lockChange(tx, 'all', id);
    if (!locked) throw notFound('change');
    assertVersion('change', locked.version, version);
    // Another request may have replaced it, or the change was approved again: what was accepted then does not hold.
    if (requestedAt !== null && locked.apply_request?.at !== requestedAt) throw refuseStep(locked, 'apply it');
    return startRolloutIn(tx, by, locked, { compiled, rollouts, accepted });
  });
  await startDeployments(removals);
  await enqueueAdvance(id);
}

async function readRow(id: string): Promise<ChangeRow> {
  const row = await findChange(db, 'all', id);
  if (!row) throw notFound('change');
  return row;
}

/** A change that is applied without the approvals that it lacks is approved by its reason. */
async function approveIfNeeded(tx: Tx, by: Acting, change: ChangeRow, reason: string | null): Promise<ChangeRow> {
  if (change.state === 'approved') return change;
  if (reason === null) throw refuseStep(change, 'apply it');
  return moveChange(tx, by, change, 'approved', { comment: reason });
}

/** Has the workers start a change at the time for which it is scheduled. */
async function requestLater(
  scope: Acting,
  change: ChangeRow,
  accepted: Accepted,
  fingerprint: string | undefined,
): Promise<void> {
  const { actor } = scope;
  const { break_glass: _, fingerprints: _shown, ...asked } = accepted;
  const request: StoredApplyRequest = {
    at: clock.now().toISOString(),
    by: { id: actor.id ?? '', name: actor.name },
    ...asked,
    ...(fingerprint !== undefined && { fingerprint }),
  };
  await db.transaction(async (tx) => {
    const locked = await lockChange(tx, 'all', change.id);
    if (!locked) throw notFound('change');
    assertVersion('change', locked.version, change.version);
    const stored = await updateChangeIn(tx, change.id, 'approved', { apply_request: request, problems: [] });
    if (!stored) throw refuseStep(change, 'apply it');
    await publishChange(tx, change.id);
    await recordChange(tx, scope, stored, 'change.scheduled', {});
  });
}

/** @throws AppError `forbidden` for those who may not apply it without its approvals */
async function assertMayBreakGlass(change: ChangeRow, { breakGlass }: ApplyRights): Promise<void> {
  const permission = 'change:break_glass';
  if (!breakGlass) {
    throw new AppError('forbidden', `Applying a change without its approvals requires the permission ${permission}.`, {
      extra: { permission },
    });
  }
  await assertActsForAll(db, change.id, permission, breakGlass.reach);
}

/**
 * Applies a change: what is stored becomes versions, and the workers write it wave by wave. A change that is scheduled for later is
 * marked, and started then.
 * @throws AppError `not_found`, `forbidden`; `conflict` in another state, outside the maintenance windows, and while another
 * change with one of its objects is rolled out; `version_conflict` with both contents; what `checkApply` throws
 */
export async function applyChange(
  scope: Scope<'policy:apply'>,
  id: string,
  input: ChangeApply,
  rights: ApplyRights,
): Promise<void> {
  const change = await findChange(db, scope.reach, id);
  if (!change) throw notFound('change');
  await assertActsForAll(db, id, 'policy:apply', scope.reach);
  assertVersion('change', change.version, input.version);
  const isUrgent = input.break_glass !== undefined;
  const states = isUrgent ? ['draft', 'in_review', 'approved'] : ['approved'];
  if (!states.includes(change.state)) throw refuseStep(change, 'apply it');
  if (isUrgent) await assertMayBreakGlass(change, rights);
  const { fingerprint } = input;
  const { compiled, fingerprints } = await compileToApply(change, fingerprint);
  const accepted = {
    ...(await checkApply(change, compiled, input, rights)),
    break_glass: input.break_glass?.reason ?? null,
    fingerprints,
  };
  const start = isUrgent ? clock.now() : await findStart(change);
  if (start === null || (start > clock.now() && change.scheduled_at === null)) {
    const next_window_at = start?.toISOString() ?? null;
    throw new AppError(
      'conflict',
      next_window_at === null
        ? 'The maintenance windows of the tenants of this change are never open together.'
        : `The change can only be applied within maintenance windows. The next one opens at ${next_window_at}.`,
      { extra: { reason: 'outside_maintenance', next_window_at } },
    );
  }
  if (start > clock.now()) await requestLater(scope, change, accepted, fingerprint);
  else await startRollout(scope, id, change.version, compiled, accepted);
}
