import { ChangeListInput } from '@/domain/change/change';
import { MAX_PAGE } from '@/domain/list';
import { listChanges, listForcedChanges, listIncompleteRollbacks } from '../../enforcement/queries/change-list';
import type { Collector } from './collect-findings';

/** Visible changes that wait for approval, for those who may approve there. */
export const collectWaitingChanges: Collector = async (reach) => {
  const input = ChangeListInput.parse({ limit: MAX_PAGE, state: 'in_review' });
  const { items, next_cursor } = await listChanges(reach, input);
  return {
    facts: items.map(({ id, title, created_by }) => ({
      condition: 'change_in_review',
      key: id,
      object_kind: 'change',
      object_id: id,
      object_name: title,
      detail: `Created by ${created_by.name}. Review it, then approve or reject it.`,
    })),
    incomplete: next_cursor !== null,
  };
};

/** Visible changes that were applied without their approvals in the last day. */
export const collectForcedChanges: Collector = async (reach) => ({
  facts: (await listForcedChanges(reach)).map(({ id, title }) => ({
    condition: 'change_break_glass',
    key: id,
    object_kind: 'change',
    object_id: id,
    object_name: title,
    detail: 'The change was applied without the approvals that it required. Its page has the reason.',
  })),
});

/** Visible changes whose rollback waits for a workload, or ended in the last day without returning everything. */
export const collectIncompleteRollbacks: Collector = async (reach) => ({
  facts: (await listIncompleteRollbacks(reach)).map(({ id, title, state }) => ({
    condition: 'change_rollback_incomplete',
    key: id,
    object_kind: 'change',
    object_id: id,
    object_name: title,
    detail:
      state === 'rolling_back'
        ? 'A workload cannot be written. The rollback is retried until it succeeds. Make its node reachable.'
        : 'Something remains as the change left it. The page of the change has what to check.',
  })),
});
