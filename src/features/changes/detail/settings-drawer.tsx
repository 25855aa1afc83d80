'use client';
import { type UseFormReturn, useController, useWatch } from 'react-hook-form';
import type { Change, ChangeUpdate as Update } from '@/domain/change/change';
import { MAX_CANARIES, MAX_CONFIRM_SECONDS, ON_FAILURE } from '@/domain/change/waves';
import { translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTimeDisplay } from '@/lib/time/time-display';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { DateTimeField } from '@/ui/form/date-time-field';
import { NumberField } from '@/ui/form/number-field';
import { RadioField } from '@/ui/form/radio-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { useVersioned } from '../../shared/record-cache';
import { VersionedDrawer } from '../../shared/versioned-form';
import { WorkloadPicker } from '../../shared/workload-picker';
import { ON_FAILURE_LABELS } from '../rollout-labels';
import {
  CANARIES,
  describeSettings,
  PAUSES,
  type SettingsValues,
  settingsFieldName,
  settingsLabels,
  toSettingsUpdate,
  toSettingsValues,
} from './settings-values';

const loadChangeUpdate = () => import('@/domain/change/change').then((module) => module.ChangeUpdate);

/** Changes title, description and how the change is rolled out. A version that another user saved is shown beside it. */
export function SettingsDrawer({ change, onClose }: { change: Change; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.changes.get.queryOptions({ id: change.id }),
    saved: () => t('Change saved'),
    outdated: [trpc.changes.list.pathFilter()],
    onClose,
  });
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: change.title })}
      description={
        change.state === 'draft' ? undefined : t('Saving makes the change a draft again. Its approvals are revoked.')
      }
      size="lg"
      opened={change}
      {...stored}
      schema={loadChangeUpdate}
      toValues={toSettingsValues}
      toInput={toSettingsUpdate}
      fieldName={settingsFieldName}
      save={(update) => client.changes.update.mutate({ id: change.id, ...update })}
      submitLabel={t('Save change')}
      outdatedTitle={t('Another user edited the change')}
      compare={{ labels: settingsLabels(t), words: (values) => describeSettings(t, values) }}
    >
      {(form) => <Fields form={form} />}
    </VersionedDrawer>
  );
}

type Form = UseFormReturn<SettingsValues, unknown, Update>;

function Fields({ form }: { form: Form }) {
  const t = useT();
  const { zone } = useTimeDisplay();
  const { control } = form;
  const { canaries, pause } = useWatch({ control });
  return (
    <>
      <TextField control={control} name="title" label={t('Title')} maxLength={120} autoFocus />
      <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
      <NumberField
        control={control}
        name="confirm_minutes"
        label={t('Minutes to confirm')}
        description={t('After the last write, the change is rolled back unless confirmed. 0: no timer.')}
        min={0}
        max={MAX_CONFIRM_SECONDS / 60}
        unit={t('min')}
      />
      <RadioField control={control} name="canaries" label={t('Canaries')} options={translateOptions(t, CANARIES)} />
      {canaries === 'count' && (
        <NumberField control={control} name="count" label={t('Number of canaries')} min={1} max={MAX_CANARIES} />
      )}
      {canaries === 'tag' && <TextField control={control} name="tag" label={t('Tag')} mono maxLength={64} />}
      {canaries === 'workloads' && <CanaryPicker form={form} />}
      {canaries !== 'none' && (
        <RadioField
          control={control}
          name="pause"
          label={t('After the canaries')}
          options={translateOptions(t, PAUSES)}
        />
      )}
      {canaries !== 'none' && pause === 'wait' && (
        <NumberField
          control={control}
          name="pause_minutes"
          label={t('Pause')}
          min={0}
          max={MAX_CONFIRM_SECONDS / 60}
          unit={t('min')}
        />
      )}
      <RadioField
        control={control}
        name="on_failure"
        label={t('When workloads fail')}
        options={translateOptions(
          t,
          ON_FAILURE.map((value) => ({ value, ...ON_FAILURE_LABELS[value] })),
        )}
      />
      <CheckboxField
        control={control}
        name="rollback_on_failed_check"
        label={t('Roll back when a check fails')}
        description={t('A failing policy test or protected connection, or an agent that becomes stale.')}
      />
      <CheckboxField
        control={control}
        name="log_new_rules"
        label={t('Log new rules')}
        description={t('Until the change is confirmed or rolled back. Rules with their own log level keep it.')}
      />
      <DateTimeField
        control={control}
        name="scheduled_at"
        label={t('Not before')}
        optional
        description={t('Time zone: {zone}', {
          zone: zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone,
        })}
      />
      <CheckboxField
        control={control}
        name="within_maintenance"
        label={t('Only in maintenance windows')}
        description={t('Windows of all its tenants, as defined in their settings.')}
      />
    </>
  );
}

function CanaryPicker({ form }: { form: Form }) {
  const { field } = useController({ control: form.control, name: 'workload_ids' });
  return (
    <div data-field="workload_ids" className="flex h-80 flex-col gap-2">
      <WorkloadPicker selection={new Set(field.value)} onSelectionChange={(chosen) => field.onChange([...chosen])} />
    </div>
  );
}
