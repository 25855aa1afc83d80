import type { Change } from '@/domain/change/change';
import type { DriftKind } from '@/domain/change/drift-kinds';
import type { ChangeItem } from '@/domain/change/items';
import type { ChangeState } from '@/domain/change/states';
import type { WaveKind } from '@/domain/change/waves';
import { isSameSnapshot } from '@/domain/policy/snapshot';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

export type ChangeAction = Change['actions'][number];

/** A state as people call it, and what the change waits for in it. */
export const STATE_LABELS: Record<ChangeState, { tone: Tone; word: string; waitsFor: string | null }> = {
  draft: { tone: 'neutral', word: msg('Draft'), waitsFor: msg('Submission') },
  in_review: { tone: 'info', word: msg('In review'), waitsFor: msg('Approval') },
  approved: { tone: 'info', word: msg('Approved'), waitsFor: msg('Apply') },
  applying: { tone: 'info', word: msg('Applying'), waitsFor: msg('Writes to workloads') },
  awaiting_confirmation: { tone: 'warn', word: msg('Awaiting confirmation'), waitsFor: msg('Confirmation') },
  confirmed: { tone: 'ok', word: msg('Confirmed'), waitsFor: null },
  rejected: { tone: 'danger', word: msg('Rejected'), waitsFor: msg('Edit by an author') },
  withdrawn: { tone: 'off', word: msg('Withdrawn'), waitsFor: null },
  rolling_back: { tone: 'warn', word: msg('Rolling back'), waitsFor: msg('Writes to workloads') },
  rolled_back: { tone: 'off', word: msg('Rolled back'), waitsFor: null },
  failed: { tone: 'danger', word: msg('Stopped'), waitsFor: msg('Continue or roll back') },
};

/** States in which something happens right now. */
export const isWorking = (state: ChangeState): boolean => state === 'applying' || state === 'rolling_back';

export const ACTION_LABELS: Record<ChangeAction, string> = {
  edit: msg('Edit change'),
  submit: msg('Submit'),
  approve: msg('Approve'),
  reject: msg('Reject'),
  withdraw: msg('Withdraw'),
  apply: msg('Apply'),
  break_glass: msg('Apply without approval'),
  continue: msg('Continue'),
  confirm: msg('Confirm'),
  roll_back: msg('Roll back'),
  revert: msg('Revert'),
};

export const WAVE_LABELS: Record<WaveKind, string> = {
  canary: msg('Canaries'),
  rest: msg('Remaining workloads'),
  own: msg("Fabric's own workloads"),
};

/** What an item does to its object, in one or two words. */
export function describeItem(t: Translate, item: ChangeItem): { tone: Tone; word: string } {
  switch (item.kind) {
    case 'policy':
      if (item.before === null) return { tone: 'ok', word: t('Create policy') };
      return isSameSnapshot(item.before, item.after)
        ? { tone: 'info', word: t('Apply policy as stored') }
        : { tone: 'warn', word: t('Change policy') };
    case 'policy_delete':
      return { tone: 'danger', word: t('Delete policy') };
    case 'group':
      return item.before === null ? { tone: 'ok', word: t('Create group') } : { tone: 'warn', word: t('Change group') };
    case 'group_members':
      return { tone: 'warn', word: t('Change members') };
    case 'group_delete':
      return { tone: 'danger', word: t('Delete group') };
    case 'policy_test':
      return item.before === null
        ? { tone: 'ok', word: t('Create policy test') }
        : { tone: 'warn', word: t('Change policy test') };
    case 'policy_test_delete':
      return { tone: 'danger', word: t('Delete policy test') };
    case 'move':
      return { tone: 'warn', word: t('Move workloads to project') };
    case 'residual_removal':
      return { tone: 'danger', word: t('Remove residual rules') };
  }
}

/** Whether the roll-out waits between two waves for someone to continue. */
export const isPaused = ({ state, rollout }: Pick<Change, 'state' | 'rollout'>): boolean =>
  state === 'applying' &&
  rollout.some(({ finished_at }, i) => finished_at !== null && rollout[i + 1]?.started_at === null);

/** The steps of a change from the one that leads on. `continue` only leads on while the roll-out waits. */
const NEXT: readonly ChangeAction[] = [
  'continue',
  'confirm',
  'apply',
  'approve',
  'submit',
  'roll_back',
  'edit',
  'revert',
];

/** The one step that leads on from here and that the reader may take; null: there is none. */
export function findNextStep(change: Pick<Change, 'state' | 'rollout' | 'actions'>): ChangeAction | null {
  const waits = change.state === 'failed' || isPaused(change);
  return NEXT.find((step) => change.actions.includes(step) && (step !== 'continue' || waits)) ?? null;
}

/** How the live state of a policy at a workload differs from what was applied. */
export const DRIFT_KIND_LABELS: Record<DriftKind, string> = {
  edited: msg('Edited'),
  deleted: msg('Deleted'),
  disabled: msg('Disabled'),
  reordered: msg('Reordered'),
  duplicated: msg('Duplicated'),
  leftover: msg('Leftover'),
  shadowed: msg('Shadowed by unmanaged rules'),
  set_changed: msg('IP set changed'),
  switch_changed: msg('Switched off'),
  default_changed: msg('Default policy changed'),
  marker_forged: msg('Marker changed'),
  workload_moved: msg('From another workload'),
};
