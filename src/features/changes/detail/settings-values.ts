import type { Change } from '@/domain/change/change';
import type { ON_FAILURE } from '@/domain/change/waves';
import { DEFAULT_TEMPORARY_LOG } from '@/domain/choices';
import { fromInput, toInput, type Zone } from '@/lib/time/calendar';

const MINUTE = 60;

/** The settings of a change as a form holds them: times in minutes, the choice of canaries apart from its values. */
export type SettingsValues = {
  title: string;
  description: string;
  confirm_minutes: number | null;
  canaries: 'none' | 'count' | 'tag' | 'workloads';
  count: number | null;
  tag: string;
  workload_ids: readonly string[];
  pause: 'ask' | 'wait';
  pause_minutes: number | null;
  on_failure: (typeof ON_FAILURE)[number];
  rollback_on_failed_check: boolean;
  log_new_rules: boolean;
  /** Level at which they are logged; the form does not change it. */
  log_level: NonNullable<Change['log_new_rules']>;
  /** As an input for date and time holds it; empty: not scheduled. */
  scheduled_at: string;
  within_maintenance: boolean;
};

export function toSettingsValues(change: Change, zone: Zone): SettingsValues {
  const { canaries, pause_seconds: pause } = change.waves;
  return {
    title: change.title,
    description: change.description,
    confirm_minutes: Math.round(change.confirm_within_seconds / MINUTE),
    canaries: canaries?.by ?? 'none',
    count: canaries?.by === 'count' ? canaries.count : 1,
    tag: canaries?.by === 'tag' ? canaries.tag : '',
    workload_ids: canaries?.by === 'workloads' ? canaries.workload_ids : [],
    pause: pause === null ? 'ask' : 'wait',
    pause_minutes: pause === null ? 10 : Math.round(pause / MINUTE),
    on_failure: change.on_failure,
    rollback_on_failed_check: change.rollback_on_failed_check,
    log_new_rules: change.log_new_rules !== null,
    log_level: change.log_new_rules ?? DEFAULT_TEMPORARY_LOG,
    scheduled_at: change.scheduled_at ? toInput(Date.parse(change.scheduled_at), zone) : '',
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
export function toSettingsUpdate(values: SettingsValues, version: number, zone: Zone): Record<string, unknown> {
  const { title, description, confirm_minutes: confirm, pause, pause_minutes: minutes, scheduled_at: at } = values;
  const { on_failure, rollback_on_failed_check, log_new_rules, log_level, within_maintenance } = values;
  const time = at === '' ? null : fromInput(at, zone);
  const pause_seconds = pause === 'ask' ? null : minutes === null ? Number.NaN : minutes * MINUTE;
  return {
    ...{ title, description, on_failure, rollback_on_failed_check, within_maintenance, version },
    log_new_rules: log_new_rules ? log_level : null,
    confirm_within_seconds: confirm === null ? Number.NaN : confirm * MINUTE,
    waves: { canaries: toCanaries(values), pause_seconds },
    scheduled_at: at !== '' && time === null ? at : time === null ? null : new Date(time).toISOString(),
  };
}

/** The field of the form at which a message about what is sent appears. */
export function settingsFieldName(field: string): string {
  const last = field.split('.').at(-1) ?? field;
  if (field.startsWith('waves.canaries')) return last === 'by' ? 'canaries' : last === '0' ? 'workload_ids' : last;
  if (field === 'waves.pause_seconds') return 'pause_minutes';
  return field === 'confirm_within_seconds' ? 'confirm_minutes' : field;
}
