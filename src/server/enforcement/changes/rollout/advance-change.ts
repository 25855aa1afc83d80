import type { ChangeState } from '@/domain/change/states';
import { MINUTE_MS } from '@/domain/durations';
import { db, type Tx } from '../../../db/client';
import { changeAdvance } from '../../../jobs/definitions';
import { enqueue, enqueueOrWait } from '../../../jobs/enqueue';
import { clock } from '../../../lib/clock';
import { pollUntil } from '../../../lib/poll-until';
import { startDeployments } from '../../deployments/schedule';
import { type ChangeRow, findChange, lockChange, updateChangeIn } from '../../queries/changes';
import { publishChange } from '../transition';
import { findFailedCheck } from '../watch/find-failed-check';
import { advanceWaves } from './advance-waves';
import { advanceLogRemoval } from './end-logging';
import { type AppliedChange, advanceRollback, rollBackIn, rolloutScope } from './roll-back';

const isApplied = (change: ChangeRow): change is AppliedChange => change.rollout !== null;

/** What is not confirmed in time is rolled back, wherever the change waits: a timer runs in no other state. */
async function checkTimer(tx: Tx, change: AppliedChange): Promise<string[] | null> {
  const { confirm_until, confirm_within_seconds } = change;
  if (confirm_until === null) return null;
  const now = clock.now().getTime();
  const left = Date.parse(confirm_until) - now;
  if (left <= 0) return rollBackIn(tx, rolloutScope, change, 'It was not confirmed in time.');
  const most = confirm_within_seconds * 1000;
  if (left > most + MINUTE_MS) {
    // The clock was put back since: the time for the confirmation begins again, instead of lasting for so much longer.
    await updateChangeIn(tx, change.id, change.state, { confirm_until: new Date(now + most).toISOString() });
    await publishChange(tx, change.id);
  }
  return null;
}

/** What fails a check while it waits is rolled back, if the change says so. */
async function checkWatched(tx: Tx, change: AppliedChange): Promise<string[]> {
  const failed = await findFailedCheck(tx, change);
  return failed === null ? [] : rollBackIn(tx, rolloutScope, change, failed);
}

async function step(tx: Tx, change: AppliedChange): Promise<string[]> {
  const rolledBack = await checkTimer(tx, change);
  if (rolledBack) return rolledBack;
  switch (change.state) {
    case 'applying':
      return advanceWaves(tx, change);
    case 'awaiting_confirmation':
    case 'failed':
      return checkWatched(tx, change);
    case 'rolling_back':
      return advanceRollback(tx, change);
    case 'confirmed':
      return change.removes_log ? advanceLogRemoval(tx, change) : Promise.resolve([]);
    default:
      return Promise.resolve([]);
  }
}

/**
 * Does what comes next in the roll-out of a change, if anything. The row is locked, and everything is stored in one
 * transaction: whenever the process ends, the next call continues there.
 */
export async function advanceChange(id: string): Promise<void> {
  const ids = await db.transaction(async (tx) => {
    const change = await lockChange(tx, 'all', id);
    return change && isApplied(change) ? step(tx, change) : [];
  });
  await startDeployments(ids);
}

/** Has a worker look at a change now; without the queue the schedule does within seconds. */
export const enqueueAdvance = (change_id: string): Promise<void> =>
  enqueueOrWait('the change', { change_id }, () => enqueue(changeAdvance, { change_id }));

const RUNNING: readonly ChangeState[] = ['applying', 'rolling_back'];

/** Whether no worker continues by itself: the change ended, or waits for people or for its time. */
const isAtRest = (change: ChangeRow | null): boolean =>
  change === null ||
  !RUNNING.includes(change.state) ||
  (change.state === 'applying' && change.rollout?.paused === true) ||
  (change.state === 'rolling_back' && change.rollout?.retry_at !== null);

/** Waits until the workers have done what they can do now. @returns whether they have; false when the time is over */
export async function awaitRollout(id: string, signal: AbortSignal): Promise<boolean> {
  return isAtRest(await pollUntil(() => findChange(db, 'all', id), isAtRest, { signal }));
}
