import { systemScope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { clock } from '../../lib/clock';
import { enqueueAdvance } from '../changes/rollout/advance-change';
import { retryFailed } from '../changes/rollout/decide-change';
import { moveChange } from '../changes/transition';
import { startDeployments } from '../deployments/schedule';
import { lockChange, updateChangeIn } from '../queries/changes';
import { listStopped } from '../queries/expiries';

const scope = systemScope('policy:apply', 'policy expiry');

/** How long after a try the next one starts: a minute at first, at most an hour. */
const chooseWaitMs = (tries: number): number => Math.min(60_000 * 2 ** Math.min(tries, 10), 3_600_000);

/** One step of a removal that stopped: the time of the next try, or the try. @returns deployments to start; null: nothing was due */
async function retryIn(tx: Tx, id: string): Promise<string[] | null> {
  const change = await lockChange(tx, 'all', id);
  const rollout = change?.rollout;
  if (change?.state !== 'failed' || !rollout) return null;
  const now = clock.now().getTime();
  if (rollout.retry_at === null) {
    const retry_at = new Date(now + chooseWaitMs(rollout.tries)).toISOString();
    await updateChangeIn(tx, id, 'failed', { rollout: { ...rollout, retry_at } });
    return null;
  }
  if (now < Date.parse(rollout.retry_at)) return null;
  const { ids } = await retryFailed(tx, { ...change, rollout });
  await moveChange(tx, scope, change, 'applying', {
    comment: 'Workloads that failed are tried again.',
    // What fails again is noted again.
    values: { rollout: { ...rollout, tries: rollout.tries + 1, retry_at: null }, problems: [] },
  });
  return ids;
}

/** Has workloads written again at which removals of what expired failed. */
export async function retryStopped(): Promise<void> {
  for (const id of await listStopped(db)) {
    const ids = await db.transaction((tx) => retryIn(tx, id));
    if (ids === null) continue;
    await startDeployments(ids);
    await enqueueAdvance(id);
  }
}
