import type { Deployment, GuestResultStatus } from '@/domain/deployments';
import type { Tone } from '@/ui/tone';

type Word = { tone: Tone; word: string };

/** How an apply or a cleanup went. */
export const DEPLOYMENT_RUN_WORDS: Record<Deployment['status'], Word> = {
  queued: { tone: 'neutral', word: 'Queued' },
  running: { tone: 'info', word: 'Running' },
  ok: { tone: 'ok', word: 'Succeeded' },
  partial: { tone: 'warn', word: 'Partly done' },
  failed: { tone: 'danger', word: 'Failed' },
};

/** What became of one guest. */
export const GUEST_RESULT_WORDS: Record<GuestResultStatus, Word> = {
  queued: { tone: 'neutral', word: 'Waiting' },
  running: { tone: 'info', word: 'Writing' },
  ok: { tone: 'ok', word: 'Done' },
  unchanged: { tone: 'ok', word: 'Was right already' },
  partial: { tone: 'warn', word: 'Partly done' },
  failed: { tone: 'danger', word: 'Failed' },
  skipped: { tone: 'off', word: 'Skipped' },
};

export const KIND_WORDS: Record<Deployment['kind'], string> = { apply: 'Apply', cleanup: 'Removal of rules' };

export const TRIGGER_WORDS: Record<Deployment['trigger'], string> = {
  apply: 'Applied by hand',
  retry: 'Retry of what failed',
  reconcile: 'Reconcile',
  apply_pending: 'Apply all pending',
  disabled: 'Policy disabled',
  audit: 'Switched to audit',
  deleted: 'Policy deleted',
};
