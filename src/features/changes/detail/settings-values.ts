import type { Change } from '@/domain/change/change';
import type { ON_FAILURE } from '@/domain/change/waves';
import { DEFAULT_TEMPORARY_LOG } from '@/domain/choices';
import { formatDateTime, formatDuration } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { ON_FAILURE_LABELS } from '../rollout-labels';

const MINUTE = 60;

/** The choices of canaries. */
export const CANARIES = [
  { value: 'none', label: msg('None'), description: msg('All workloads are written in one wave.') },
  { value: 'count', label: msg('By number'), description: msg('Those with most observed conversations.') },
  { value: 'tag', label: msg('By tag') },
  { value: 'workloads', label: msg('Selected workloads') },
] as const;

/** What may follow the canaries. */
export const PAUSES = [
  { value: 'ask', label: msg('Wait until someone continues') },
  { value: 'wait', label: msg('Continue after a pause') },
] as const;

/** The settings of a change as a form holds them: times in minutes, the choice of canaries apart from its values. */
export type SettingsValues = {
  title: string;
  description: string;
  confirm_minutes: number | null;
  canaries: (typeof CANARIES)[number]['value'];
  count: number | null;
  tag: string;
  workload_ids: readonly string[];
  pause: (typeof PAUSES)[number]['value'];
  pause_minutes: number | null;
  /** Seconds as they were read: sent unless their minutes are edited. */
  stored: { confirm: number; pause: number | null };
  on_failure: (typeof ON_FAILURE)[number];
  rollback_on_failed_check: boolean;
  log_new_rules: boolean;
  /** Level at which they are logged; the form does not change it. */
  log_level: NonNullable<Change['log_new_rules']>;
  scheduled_at: string | null;
  within_maintenance: boolean;
};

/** Rounded up, because 0 minutes are no timer and no pause. */
const toMinutes = (seconds: number) => Math.ceil(seconds / MINUTE);

/** NaN for an empty box. */
function toSeconds(minutes: number | null, stored: number | null): number {
  if (minutes === null) return Number.NaN;
  return stored !== null && toMinutes(stored) === minutes ? stored : minutes * MINUTE;
}

export function toSettingsValues(change: Change): SettingsValues {
  const { canaries, pause_seconds: pause } = change.waves;
  return {
    title: change.title,
    description: change.description,
    confirm_minutes: toMinutes(change.confirm_within_seconds),
    canaries: canaries?.by ?? 'none',
    count: canaries?.by === 'count' ? canaries.count : 1,
    tag: canaries?.by === 'tag' ? canaries.tag : '',
    workload_ids: canaries?.by === 'workloads' ? canaries.workload_ids : [],
    pause: pause === null ? 'ask' : 'wait',
    pause_minutes: pause === null ? 10 : toMinutes(pause),
    stored: { confirm: change.confirm_within_seconds, pause },
    on_failure: change.on_failure,
    rollback_on_failed_check: change.rollback_on_failed_check,
    log_new_rules: change.log_new_rules !== null,
    log_level: change.log_new_rules ?? DEFAULT_TEMPORARY_LOG,
    scheduled_at: change.scheduled_at,
    within_maintenance: change.within_maintenance,
  };
}

function toCanaries({ canaries, count, tag, workload_ids }: SettingsValues): unknown {
  switch (canaries) {
    case 'none':
      return null;
    case 'count':
      return { by: canaries, count };
    case 'tag':
      return { by: canaries, tag };
    case 'workloads':
      return { by: canaries, workload_ids: [...workload_ids] };
  }
}

/** What changes the settings, with the version that was read. What is not a number or a time stays so, for the schema to refuse. */
export function toSettingsUpdate(values: SettingsValues, { version }: { version: number }) {
  const { title, description, on_failure, rollback_on_failed_check, scheduled_at, within_maintenance, stored } = values;
  return {
    ...{ title, description, on_failure, rollback_on_failed_check, scheduled_at, within_maintenance, version },
    log_new_rules: values.log_new_rules ? values.log_level : null,
    confirm_within_seconds: toSeconds(values.confirm_minutes, stored.confirm),
    waves: {
      canaries: toCanaries(values),
      pause_seconds: values.pause === 'ask' ? null : toSeconds(values.pause_minutes, stored.pause),
    },
  };
}

/** The names of all fields, to compare two versions. */
export const settingsLabels = (t: Translate) => ({
  title: t('Title'),
  description: t('Description'),
  confirm_minutes: t('Confirmation'),
  canaries: t('Canaries'),
  count: t('Number of canaries'),
  tag: t('Tag'),
  workload_ids: t('Selected workloads'),
  pause: t('After the canaries'),
  pause_minutes: t('Pause after canaries'),
  on_failure: t('When workloads fail'),
  rollback_on_failed_check: t('Roll back when a check fails'),
  log_new_rules: t('Log new rules'),
  scheduled_at: t('Not before'),
  within_maintenance: t('Only in maintenance windows'),
});

/** Durations leave seconds out where there are hours. */
function describeSeconds(seconds: number): string | null {
  if (Number.isNaN(seconds)) return null;
  return seconds % MINUTE === 0 ? formatDuration(seconds * 1000) : `${seconds} s`;
}

/** What the form would save, as words. */
export function describeSettings(t: Translate, values: SettingsValues): Record<string, unknown> {
  const { confirm_within_seconds: confirm, waves } = toSettingsUpdate(values, { version: 0 });
  const { canaries, count, tag, workload_ids, pause, on_failure, log_new_rules, log_level, scheduled_at } = values;
  const find = (options: readonly { value: string; label: string }[], chosen: string) =>
    t(options.find(({ value }) => value === chosen)?.label ?? chosen);
  return {
    ...values,
    confirm_minutes: confirm === 0 ? t('No timer: confirmed with the last write') : describeSeconds(confirm),
    canaries: find(CANARIES, canaries),
    count: canaries === 'count' ? count : null,
    tag: canaries === 'tag' ? tag : null,
    workload_ids: canaries === 'workloads' ? workload_ids : null,
    pause: find(PAUSES, pause),
    pause_minutes: waves.pause_seconds === null ? null : describeSeconds(waves.pause_seconds),
    on_failure: t(ON_FAILURE_LABELS[on_failure].label),
    log_new_rules: log_new_rules && log_level,
    scheduled_at: scheduled_at && formatDateTime(scheduled_at),
  };
}

/** The field of the form at which a message about what is sent appears. */
export function settingsFieldName(field: string): string {
  const last = field.split('.').at(-1) ?? field;
  if (field.startsWith('waves.canaries')) return last === 'by' ? 'canaries' : last === '0' ? 'workload_ids' : last;
  if (field === 'waves.pause_seconds') return 'pause_minutes';
  return field === 'confirm_within_seconds' ? 'confirm_minutes' : field;
}
