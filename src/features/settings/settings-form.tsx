'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { type RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { FormShell } from '@/ui/form/form-shell';
import { NumberField } from '@/ui/form/number-field';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../shared/domain-resolver';
import { usePermissions } from '../shared/use-permissions';
import { type SettingsValues, toSettingsUpdate, toSettingsValues } from './settings-form-values';

/** The form over one reading of the settings. Give it the version as key: a newer reading is a new form. */
export function SettingsForm({ settings, onReload }: { settings: RuntimeSettingsRead; onReload: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const locked = reason('*');
  const form = useForm<SettingsValues, unknown, RuntimeSettingsUpdate>({
    defaultValues: toSettingsValues(settings),
    resolver: domainResolver(RuntimeSettingsUpdate, (values: SettingsValues) => toSettingsUpdate(values, settings)),
  });
  const save = useMutation(
    trpc.settings.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.settings.get.queryKey(), saved);
        showToast('ok', { title: t('Settings saved') });
      },
    }),
  );
  const failure = save.error ? failureOf(save.error) : null;
  const outdated = failure?.code === 'version_conflict';
  const { isDirty } = form.formState;
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      {locked && (
        <Notice tone="info" title={t('You can look, not change')}>
          {locked}
        </Notice>
      )}
      {outdated && (
        <Notice
          tone="warn"
          live
          title={t('Somebody else changed the settings')}
          action={
            <Button size="sm" onClick={onReload}>
              {t('Show their settings')}
            </Button>
          }
        >
          {t('Your changes are not saved. Look at the new settings, then change them again.')}
        </Notice>
      )}
      <FormShell
        form={form}
        onSubmit={(input) => save.mutate(input)}
        error={outdated ? null : failure}
        pending={save.isPending}
        submitLabel={t('Save settings')}
        disabledReason={locked ?? (isDirty ? null : t('Nothing has changed'))}
        onCancel={isDirty ? () => form.reset() : undefined}
        cancelLabel={t('Undo changes')}
      >
        <Section title={t('Inventory sync')}>
          <div className="flex flex-col gap-3">
            <CheckboxField
              control={form.control}
              name="auto_node_sync_enabled"
              label={t('Sync all clusters automatically')}
              description={<LastRun at={settings.last_node_auto_sync_at} />}
              disabled={locked !== null}
            />
            <NumberField
              control={form.control}
              name="auto_node_sync_interval_minutes"
              label={t('Sync interval')}
              unit={t('minutes')}
              description={t('5 to 10,080 (one week).')}
              min={5}
              max={10_080}
              disabled={locked !== null}
            />
          </div>
        </Section>
        <Section title={t('Address discovery')}>
          <div className="flex flex-col gap-3">
            <CheckboxField
              control={form.control}
              name="auto_ipam_sync_enabled"
              label={t('Discover addresses automatically')}
              description={<LastRun at={settings.last_ipam_auto_sync_at} />}
              disabled={locked !== null}
            />
            <NumberField
              control={form.control}
              name="auto_ipam_sync_interval_minutes"
              label={t('Discovery interval')}
              unit={t('minutes')}
              description={t('5 to 10,080 (one week).')}
              min={5}
              max={10_080}
              disabled={locked !== null}
            />
          </div>
        </Section>
        <Section title={t('Flows')}>
          <NumberField
            control={form.control}
            name="flow_retention_hours"
            label={t('Keep flows for')}
            unit={t('hours')}
            description={t(
              '1 to 8,760 (one year). Older flows are deleted and cannot be brought back; their sums per hour stay for 400 days.',
            )}
            min={1}
            max={8760}
            disabled={locked !== null}
          />
        </Section>
        <Section title={t('Audit trail')}>
          <NumberField
            control={form.control}
            name="audit_retention_days"
            label={t('Keep audit records for')}
            optional
            unit={t('days')}
            description={t(
              '30 to 3,650 (ten years); empty keeps all. Older records are removed once a day and cannot be brought back. The trail stays verifiable: a record in it says where it was cut.',
            )}
            min={30}
            max={3650}
            disabled={locked !== null}
          />
        </Section>
      </FormShell>
    </div>
  );
}

function LastRun({ at }: { at: string | null }) {
  const t = useT();
  return <>{t.rich('Last automatic run: {at}', { at: <RelativeTime at={at} none={t('never')} /> })}</>;
}
