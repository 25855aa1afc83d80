/** The states of a change. `rejected` and `withdrawn` end a review; both can be edited, which makes them drafts again. */
export const CHANGE_STATES = [
  'draft',
  'in_review',
  'approved',
  'applying',
  'awaiting_confirmation',
  'confirmed',
  'rejected',
  'withdrawn',
  'rolling_back',
  'rolled_back',
  'failed',
] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

/**
 * What may follow each state. `applying → approved`: refused before the first write. `approved → in_review`: an approval was
 * revoked. `failed`: some workloads could not be written and the change stopped there; it can be continued or rolled back.
 */
export const NEXT_STATES: Readonly<Record<ChangeState, readonly ChangeState[]>> = {
  draft: ['in_review', 'approved', 'withdrawn'],
  in_review: ['draft', 'approved', 'rejected', 'withdrawn'],
  approved: ['draft', 'in_review', 'applying', 'withdrawn'],
  applying: ['approved', 'awaiting_confirmation', 'confirmed', 'rolling_back', 'failed'],
  awaiting_confirmation: ['confirmed', 'rolling_back'],
  confirmed: [],
  rejected: ['draft', 'withdrawn'],
  withdrawn: ['draft'],
  rolling_back: ['rolled_back'],
  rolled_back: [],
  failed: ['applying', 'rolling_back'],
};

/** States in which the content may be edited; an edit makes a draft of it, and its approvals do not count any more. */
export const EDITABLE_STATES = [
  'draft',
  'in_review',
  'approved',
  'rejected',
  'withdrawn',
] as const satisfies ChangeState[];

/** States in which the content is stored and workloads may have some of it and not yet all. */
export const ROLLOUT_STATES = [
  'applying',
  'awaiting_confirmation',
  'rolling_back',
  'failed',
] as const satisfies ChangeState[];

/** States that nothing follows. */
export const isFinalState = (state: ChangeState): boolean => NEXT_STATES[state].length === 0;

/** Whether a change may go from one state to another. */
export const isTransition = (from: ChangeState, to: ChangeState): boolean => NEXT_STATES[from].includes(to);
