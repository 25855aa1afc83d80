import { isWithinReach, type Reach } from '@/domain/permissions';
import type { Scope } from '../../../auth/scope';
import { db, type Executor, type Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { assertVersion, notFound } from '../../../lib/refusals';
import { startDeployments } from '../../deployments/schedule';
import { listChangeDeployments, listChangeGuests } from '../../queries/change-rollouts';
import { type ChangeRow, listChangeOwners, lockChange, updateChangeIn } from '../../queries/changes';
import { moveChange, publishChange, recordChange, refuseStep } from '../transition';
import { enqueueAdvance } from './advance-change';
import { insertWave, listFailed } from './deploy-wave';
import { confirmIn } from './end-logging';
import { type AppliedChange, readClusters, rollBackIn } from './roll-back';

/** @throws AppError `forbidden` for those who may not act for every owner of the change */
export async function assertActsForAll(
  executor: Executor,
  changeId: string,
  permission: string,
  reach: Reach,
): Promise<void> {
  const owners = await listChangeOwners(executor, changeId);
  if (owners.every((owner) => isWithinReach(owner, reach))) return;
  throw new AppError(
    'forbidden',
    `The change also concerns policies for which you do not have the permission ${permission}.`,
    { extra: { permission } },
  );
}

type Guard = { readonly version?: number | undefined; readonly comment?: string };

async function lockApplied(
  tx: Tx,
  scope: Scope<'policy:apply'>,
  id: string,
  { version }: Guard,
  states: readonly ChangeRow['state'][],
  stepName: string,
): Promise<AppliedChange> {
  const change = await lockChange(tx, scope.reach, id);
  if (!change) throw notFound('change');
  await assertActsForAll(tx, id, 'policy:apply', scope.reach);
  assertVersion('change', change.version, version);
  const { rollout } = change;
  if (!rollout || !states.includes(change.state)) throw refuseStep(change, stepName);
  return { ...change, rollout };
}

/**
 * Keeps an applied change. One that waits after its canaries or after a failure keeps waiting: only its timer ends.
 * @throws AppError `not_found`, `forbidden`, `conflict` when its timer does not run
 */
export async function confirmChange(scope: Scope<'policy:apply'>, id: string, guard: Guard): Promise<void> {
  const ids = await db.transaction(async (tx) => {
    const states = ['applying', 'awaiting_confirmation', 'failed'] as const;
    const change = await lockApplied(tx, scope, id, guard, states, 'confirm it');
    if (change.confirm_until === null) throw refuseStep(change, 'confirm it');
    if (change.state === 'awaiting_confirmation') {
      return confirmIn(tx, scope, change, { comment: guard.comment ?? '' });
    }
    await updateChangeIn(tx, id, change.state, { confirm_until: null });
    await publishChange(tx, id);
    await recordChange(tx, scope, change, 'change.timer_stopped', guard.comment ? { reason: guard.comment } : {});
    return [];
  });
  await startDeployments(ids);
}

/** Takes an applied change back. @throws AppError `not_found`, `forbidden`, `conflict` when it is not applied or ended */
export async function rollBackChange(scope: Scope<'policy:apply'>, id: string, guard: Guard): Promise<void> {
  const ids = await db.transaction(async (tx) => {
    const states = ['applying', 'awaiting_confirmation', 'failed'] as const;
    const change = await lockApplied(tx, scope, id, guard, states, 'roll it back');
    return rollBackIn(tx, scope, change, guard.comment ?? '');
  });
  await startDeployments(ids);
  await enqueueAdvance(id);
}

/** Has failed workloads of the wave written again. @returns deployments to start, and the workloads */
export async function retryFailed(tx: Tx, change: AppliedChange): Promise<{ ids: string[]; tolerated_ids: string[] }> {
  const { rollout } = change;
  const own = (await listChangeDeployments(tx, change.id)).filter(({ wave }) => wave === rollout.wave);
  const failed = listFailed(own, await listChangeGuests(tx, change.id));
  const planned = rollout.policies.map((policy) => ({
    ...policy,
    workload_ids: failed.filter((one) => one.policy_id === policy.policy_id).map(({ workload_id }) => workload_id),
  }));
  return {
    ids: await insertWave(tx, change, rollout.wave, planned, await readClusters(tx, change.id)),
    tolerated_ids: failed.map(({ workload_id }) => workload_id),
  };
}

/**
 * Continues with the next wave of a change that waits after its canaries, or that stopped because workloads failed; these are then
 * tried once more. @throws AppError `not_found`, `forbidden`, `conflict` when it does not wait
 */
export async function continueChange(scope: Scope<'policy:apply'>, id: string, guard: Guard): Promise<void> {
  const ids = await db.transaction(async (tx) => {
    const change = await lockApplied(tx, scope, id, guard, ['applying', 'failed'], 'continue it');
    if (change.state === 'failed') {
      const { ids, tolerated_ids } = await retryFailed(tx, change);
      await moveChange(tx, scope, change, 'applying', {
        comment: guard.comment ?? '',
        values: { rollout: { ...change.rollout, tolerated_ids }, confirm_until: null },
      });
      return ids;
    }
    if (!change.rollout.paused) throw refuseStep(change, 'continue it');
    const rollout = { ...change.rollout, resume_at: clock.now().toISOString() };
    await updateChangeIn(tx, id, change.state, { rollout, confirm_until: null });
    await publishChange(tx, id);
    await recordChange(tx, scope, change, 'change.continued', guard.comment ? { reason: guard.comment } : {});
    return [];
  });
  await startDeployments(ids);
  await enqueueAdvance(id);
}
