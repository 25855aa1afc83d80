import type { Change } from '@/domain/change/change';
import type { ON_FAILURE } from '@/domain/change/waves';
import { formatDuration } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';

export const ON_FAILURE_LABELS: Record<(typeof ON_FAILURE)[number], { label: string; description: string }> = {
  stop: { label: msg('Stop and ask'), description: msg('Someone decides whether to continue or roll back.') },
  continue: { label: msg('Continue'), description: msg('The remaining workloads are written nevertheless.') },
  rollback: { label: msg('Roll back'), description: msg('Every workload returns to its former rules.') },
};

type Settings = Pick<
  Change,
  | 'confirm_within_seconds'
  | 'waves'
  | 'on_failure'
  | 'rollback_on_failed_check'
  | 'log_new_rules'
  | 'within_maintenance'
>;

/** How the canaries are chosen. */
export function formatCanaries(t: Translate, { canaries }: Settings['waves']): string {
  switch (canaries?.by) {
    case 'count':
      return t('{n, plural, one {The workload with most traffic} other {The # workloads with most traffic}}', {
        n: canaries.count,
      });
    case 'tag':
      return t('Workloads with the tag {tag}', { tag: canaries.tag });
    case 'workloads':
      return t('{n, plural, one {# selected workload} other {# selected workloads}}', {
        n: canaries.workload_ids.length,
      });
    case undefined:
      return t('None: all workloads in one wave');
  }
}

/** What follows the canaries. */
export const formatPause = (t: Translate, { pause_seconds: seconds }: Settings['waves']): string =>
  seconds === null ? t('Until someone continues') : seconds === 0 ? t('No pause') : formatDuration(seconds * 1000);

/** When the change is rolled back by itself. */
export const formatTimer = (t: Translate, { confirm_within_seconds: seconds }: Settings): string =>
  seconds === 0
    ? t('No timer: confirmed with the last write')
    : t('Rolled back unless confirmed within {duration}', { duration: formatDuration(seconds * 1000) });

/** How the rules that the change adds are logged. */
export const formatLog = (t: Translate, { log_new_rules: level }: Pick<Settings, 'log_new_rules'>): string =>
  level === null
    ? t('By their own log level')
    : t('At level {level}, until the change is confirmed or rolled back', { level });
