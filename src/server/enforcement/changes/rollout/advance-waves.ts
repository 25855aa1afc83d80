import { type RolloutPolicy, selectNext } from '@/domain/change/rollout';
import type { DeploymentProblem } from '@/domain/deployments';
import { MINUTE_MS } from '@/domain/durations';
import type { Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import {
  type ChangeDeployment,
  listChangeDeployments,
  listChangeGuests,
  listChangeWorkloads,
} from '../../queries/change-rollouts';
import { updateChangeIn } from '../../queries/changes';
import { moveChange, publishChange } from '../transition';
import { findFailedCheck } from '../watch/find-failed-check';
import { describeFailed, type FailedWorkload, insertWave, listFailed } from './deploy-wave';
import { confirmIn } from './end-logging';
import { hasOpenRemovals } from './remove-residual';
import { type AppliedChange, rollBackIn, rolloutScope } from './roll-back';

type WaveWorkloads = Awaited<ReturnType<typeof listChangeWorkloads>>;

const store = async (
  tx: Tx,
  change: AppliedChange,
  values: Partial<Pick<AppliedChange, 'rollout' | 'problems' | 'confirm_until'>>,
) => {
  await updateChangeIn(tx, change.id, change.state, values);
  await publishChange(tx, change.id);
  return { ...change, ...values };
};

/** Until when someone has to confirm or continue what is written by now; null: the change has no timer. */
const startTimer = ({ confirm_within_seconds: seconds }: AppliedChange): string | null =>
  seconds === 0 ? null : new Date(clock.now().getTime() + seconds * 1_000).toISOString();

/** What of the current wave was not started yet, at the workloads that did not fail in it. */
function listPending(
  { rollout: { policies, wave } }: AppliedChange,
  workloads: WaveWorkloads,
  started: readonly ChangeDeployment[],
  failed: readonly FailedWorkload[],
): RolloutPolicy[] {
  const without = new Set(failed.map(({ workload_id }) => workload_id));
  const members = new Set(
    workloads
      .filter((one) => one.wave === wave && one.cluster_id !== null && !without.has(one.workload_id))
      .map((one) => one.workload_id),
  );
  return policies.map((policy) => {
    const own = started.filter(({ policy_id }) => policy_id === policy.policy_id);
    const done = new Set(own.flatMap(({ workload_ids }) => workload_ids ?? []));
    return { ...policy, workload_ids: policy.workload_ids.filter((id) => members.has(id) && !done.has(id)) };
  });
}

const createFailedProblem = (failed: readonly FailedWorkload[]): DeploymentProblem => ({
  code: 'workloads_failed',
  message: describeFailed(failed),
  remedy: null,
});

/** All waves are written: the change waits for its confirmation, or is confirmed without one. */
async function endWrites(tx: Tx, change: AppliedChange): Promise<string[]> {
  const written_at = clock.now().toISOString();
  const confirm_until = startTimer(change);
  if (confirm_until === null) return confirmIn(tx, rolloutScope, change, { values: { written_at } });
  await moveChange(tx, rolloutScope, change, 'awaiting_confirmation', { values: { written_at, confirm_until } });
  return [];
}

/** Whether the next wave has to wait; stores since when, and until when. */
async function pauseWave(tx: Tx, change: AppliedChange, workloads: WaveWorkloads): Promise<AppliedChange | null> {
  const { rollout, waves } = change;
  const kind = workloads.find(({ wave }) => wave === rollout.wave)?.wave_kind;
  if (kind !== 'canary' || waves.pause_seconds === 0) return change;
  const now = clock.now();
  if (rollout.paused) {
    if (rollout.resume_at === null) return null;
    const left = Date.parse(rollout.resume_at) - now.getTime();
    if (left <= 0) return change;
    // A longer wait is of a clock that was put back since: the pause begins again.
    if (left <= (waves.pause_seconds ?? 0) * 1_000 + MINUTE_MS) return null;
  }
  const resume_at =
    waves.pause_seconds === null ? null : new Date(now.getTime() + waves.pause_seconds * 1_000).toISOString();
  // A pause with an end leads to the next wave, and so to the timer after the last write.
  const confirm_until = resume_at === null ? startTimer(change) : null;
  await store(tx, change, { rollout: { ...rollout, paused: true, resume_at }, confirm_until });
  return null;
}

/**
 * One step of writing a change: starts what comes next when everything before has ended. At each workload policies follow each other
 * as they were planned, and those whose rules are removed come last in the wave.
 * @returns deployments for `startDeployments` after the commit
 */
export async function advanceWaves(tx: Tx, given: AppliedChange): Promise<string[]> {
  let change = given;
  const workloads = await listChangeWorkloads(tx, change.id);
  const clusterIds = new Map(
    workloads.flatMap(({ workload_id, cluster_id }) => (cluster_id ? [[workload_id, cluster_id]] : [])),
  );
  const last = Math.max(0, ...workloads.map(({ wave }) => wave));
  for (;;) {
    const { wave, tolerated_ids = [] } = change.rollout;
    const own = (await listChangeDeployments(tx, change.id)).filter((one) => one.wave === wave);
    if (own.some(({ finished_at }) => finished_at === null)) return [];
    // The waves find what these leave. Removals that fail are retried, and nothing waits for that.
    if (wave === 0 && (await hasOpenRemovals(tx, change.items))) return [];
    // A workload that was tried again counts as what became of it last.
    const failed = own.length > 0 ? listFailed(own, await listChangeGuests(tx, change.id)) : [];
    const unexpected = failed.filter(({ workload_id }) => !tolerated_ids.includes(workload_id));
    if (unexpected.length > 0) {
      const problem = createFailedProblem(unexpected);
      const problems = [...change.problems, problem];
      if (change.on_failure === 'rollback') {
        return rollBackIn(tx, rolloutScope, { ...change, problems }, problem.message);
      }
      if (change.on_failure === 'stop') {
        // Nothing is written until someone acts, and those who could may be cut off by what is written.
        const values = { problems, confirm_until: startTimer(change) };
        await moveChange(tx, rolloutScope, change, 'failed', { comment: problem.message, values });
        return [];
      }
      const ids = failed.map(({ workload_id }) => workload_id);
      change = await store(tx, change, { rollout: { ...change.rollout, tolerated_ids: ids }, problems });
    }
    if (wave > 0) {
      const next = selectNext(listPending(change, workloads, own, failed));
      const ids = await insertWave(tx, change, wave, next, clusterIds);
      if (ids.length > 0) {
        await publishChange(tx, change.id);
        return ids;
      }
      const broken = await findFailedCheck(tx, change);
      if (broken !== null) return rollBackIn(tx, rolloutScope, change, broken);
    }
    if (wave >= last) return endWrites(tx, change);
    const ready = wave === 0 ? change : await pauseWave(tx, change, workloads);
    if (!ready) return [];
    const rollout = { ...ready.rollout, wave: wave + 1, paused: false, resume_at: null, tolerated_ids: [] };
    change = await store(tx, ready, { rollout });
  }
}
