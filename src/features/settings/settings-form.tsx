'use client';
import { useQueryClient } from '@tanstack/react-query';
import { type RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { NumberField } from '@/ui/form/number-field';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { useVersionedForm } from '../shared/use-versioned-form';
import { VersionedSettings } from '../shared/versioned-form';
import { toSettingsUpdate, toSettingsValues } from './settings-form-values';

/** The form over one reading of the settings. Give it the version as key: a newer reading is a new form. */
export function SettingsForm({ settings }: { settings: RuntimeSettingsRead }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const edit = useVersionedForm({
    opened: settings,
    read: () => queryClient.fetchQuery({ ...trpc.settings.get.queryOptions(), staleTime: 0 }),
    schema: RuntimeSettingsUpdate,
    toValues: toSettingsValues,
    toInput: toSettingsUpdate,
    save: (input) => client.settings.update.mutate(input),
    onSaved: (saved) => {
      queryClient.setQueryData(trpc.settings.get.queryKey(), saved);
      showToast('ok', { title: t('Settings saved') });
    },
  });
  const { control } = edit.form;
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <VersionedSettings
        edit={edit}
        permission="*"
        submitLabel={t('Save settings')}
        outdatedTitle={t('Somebody else changed the settings')}
      >
        {(locked) => (
          <>
            <Section title={t('Inventory sync')}>
              <div className="flex flex-col gap-3">
                <CheckboxField
                  control={control}
                  name="auto_node_sync_enabled"
                  label={t('Sync all clusters automatically')}
                  description={<LastRun at={settings.last_node_auto_sync_at} />}
                  disabled={locked !== null}
                />
                <NumberField
                  control={control}
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
                  control={control}
                  name="auto_ipam_sync_enabled"
                  label={t('Discover addresses automatically')}
                  description={<LastRun at={settings.last_ipam_auto_sync_at} />}
                  disabled={locked !== null}
                />
                <NumberField
                  control={control}
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
                control={control}
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
                control={control}
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
          </>
        )}
      </VersionedSettings>
    </div>
  );
}

function LastRun({ at }: { at: string | null }) {
  const t = useT();
  return <>{t.rich('Last automatic run: {at}', { at: <RelativeTime at={at} none={t('never')} /> })}</>;
}
