import { DAY_MS } from '@/domain/durations';
import { readPast } from '../db/as-of';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { storedSettings } from '../settings/settings';
import { deletePastRows, deleteUnusedStates, moveHistoryStart } from './queries/past-rows';

/**
 * Runs `answer` now, or with everything that it reads as it was at a time.
 * @throws AppError `malformed` for a time in the future, or before history began; then with `earliest`
 */
export const answerAt = <T>(as_of: string | undefined, answer: () => Promise<T>): Promise<T> =>
  as_of === undefined ? answer() : readPast(as_of, answer);

/**
 * Deletes history that is older than the settings keep. The time before is refused first, so that no answer is made of what is left
 * of it.
 * @returns how many versions and states of firewalls went
 */
export async function pruneHistory(): Promise<number> {
  const { history_retention_days } = await storedSettings(db);
  const horizon = new Date(clock.now().getTime() - history_retention_days * DAY_MS).toISOString();
  await moveHistoryStart(db, horizon);
  return (await deletePastRows(horizon)) + (await deleteUnusedStates());
}
