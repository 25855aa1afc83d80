import type { Deployment, GuestResultStatus } from '@/domain/deployments';
import { msg } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

type Word = { tone: Tone; word: string };

/** How an apply or a cleanup went. */
export const DEPLOYMENT_RUN_LABELS: Record<Deployment['status'], Word> = {
  queued: { tone: 'neutral', word: msg('Queued') },
  running: { tone: 'info', word: msg('Running') },
  ok: { tone: 'ok', word: msg('Succeeded') },
  partial: { tone: 'warn', word: msg('Partially succeeded') },
  failed: { tone: 'danger', word: msg('Failed') },
};

/** What became of one guest. */
export const GUEST_RESULT_LABELS: Record<GuestResultStatus, Word> = {
  queued: { tone: 'neutral', word: msg('Waiting') },
  running: { tone: 'info', word: msg('Writing') },
  ok: { tone: 'ok', word: msg('Done') },
  unchanged: { tone: 'ok', word: msg('Already up to date') },
  partial: { tone: 'warn', word: msg('Partially succeeded') },
  failed: { tone: 'danger', word: msg('Failed') },
  skipped: { tone: 'off', word: msg('Skipped') },
};

export const KIND_LABELS: Record<Deployment['kind'], string> = {
  apply: msg('Apply'),
  cleanup: msg('Removal of rules'),
  removal: msg('Removal after a move'),
  log_removal: msg('End of temporary logging'),
};

export const TRIGGER_LABELS: Record<Deployment['trigger'], string> = {
  apply: msg('Applied manually'),
  retry: msg('Retry after failure'),
  reconcile: msg('Reconcile'),
  apply_pending: msg('Apply all pending'),
  disabled: msg('Policy disabled'),
  audit: msg('Switched to audit mode'),
  deleted: msg('Policy deleted'),
  moved: msg('Workload moved'),
  change: msg('Change applied'),
  rollback: msg('Change rolled back'),
};
