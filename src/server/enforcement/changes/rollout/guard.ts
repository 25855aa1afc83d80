import type { ChangeState } from '@/domain/change/states';
import type { Executor } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { findRollout } from '../../queries/change-rollouts';

/**
 * The change on whose behalf something is stored.
 * @property undoes it is rolled back, whatever is still running
 * @property source where its edits come from; what this source manages may be edited
 * @property expires it removes what has expired; the source of a policy says when
 */
export type WithinChange = {
  readonly change_id: string;
  readonly undoes?: boolean;
  readonly source?: string | undefined;
  readonly expires?: boolean;
};

function describeRollout(state: ChangeState): string {
  switch (state) {
    case 'failed':
      return 'A change that contains this stopped after a failure. Continue the change or roll it back, then try again.';
    case 'rolling_back':
      return 'A change that contains this is being rolled back. Try again when the rollback has ended.';
    default:
      return 'A change that contains this is being rolled out. Confirm the change or roll it back, then try again.';
  }
}

/**
 * Nothing else writes to what a change is rolling out, so that a confirmation or a rollback concerns all of it.
 * @throws AppError `conflict` while another change with one of these policies or groups is rolled out
 */
export async function assertNoRollout(
  executor: Executor,
  objectIds: readonly string[],
  within?: WithinChange,
): Promise<void> {
  const found = await findRollout(executor, objectIds, within?.change_id ?? null);
  if (!found) return;
  throw new AppError('conflict', describeRollout(found.state), {
    extra: { reason: 'change_in_progress', change_id: found.id },
  });
}
