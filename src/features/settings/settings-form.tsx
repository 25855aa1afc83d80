'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Control } from 'react-hook-form';
import { APPROVAL_SCOPES, ON_EXPIRY, SETTING_LIMITS } from '@/domain/choices';
import type { RuntimeChoices, RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { NumberField } from '@/ui/form/number-field';
import { SelectField } from '@/ui/form/select-field';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { RelativeTime } from '@/ui/values';
import { ON_EXPIRY_LABELS, SCOPE_LABELS } from '../shared/change-rule-labels';
import { PeriodField } from '../shared/period-field';
import { useReadAgain } from '../shared/record-cache';
import { useVersionedForm } from '../shared/use-versioned-form';
import { VersionedSettings } from '../shared/versioned-form';

const loadSettingsUpdate = () => import('@/domain/settings').then((module) => module.RuntimeSettingsUpdate);

/** The form of the settings. */
export function SettingsForm({ settings }: { settings: RuntimeSettingsRead }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const edit = useVersionedForm({
    opened: settings,
    read: () => readAgain(trpc.settings.get.queryOptions()),
    schema: loadSettingsUpdate,
    toValues: toSettingsValues,
    toInput: toSettingsUpdate,
    save: (input) => client.settings.update.mutate(input),
    onSaved: (saved) => {
      queryClient.setQueryData(trpc.settings.get.queryKey(), saved);
      edit.show(saved);
      showToast('ok', { title: t('Settings saved') });
    },
  });
  const { control } = edit.form;
  // The form comes after the page: the browser could not scroll to it.
  useEffect(() => {
    // Newer browsers return a promise, which an effect must not return.
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      <VersionedSettings
        edit={edit}
        stored={settings}
        submitLabel={t('Save settings')}
        outdatedTitle={t('Settings changed by another user')}
      >
        {(locked) => (
          <>
            <Section id="inventory-sync" title={t('Inventory sync')}>
              <Schedule
                control={control}
                kind="node"
                label={t('Sync all clusters automatically')}
                interval={t('Sync interval')}
                lastAt={settings.last_node_auto_sync_at}
                disabled={locked !== null}
              />
            </Section>
            <Section id="address-discovery" title={t('Address discovery')}>
              <Schedule
                control={control}
                kind="ipam"
                label={t('Discover addresses automatically')}
                interval={t('Discovery interval')}
                lastAt={settings.last_ipam_auto_sync_at}
                disabled={locked !== null}
              />
            </Section>
            <Section id="flow-retention" title={t('Flows')}>
              <NumberField
                control={control}
                name="flow_retention_hours"
                label={t('Flow retention')}
                unit={t('hours')}
                description={t(
                  '{min, number} to {max, number} (one year). Older flows are deleted permanently; their hourly totals are kept for 400 days.',
                  SETTING_LIMITS.flow_retention_hours,
                )}
                {...SETTING_LIMITS.flow_retention_hours}
                disabled={locked !== null}
              />
            </Section>
            <Section id="history-retention" title={t('History')}>
              <NumberField
                control={control}
                name="history_retention_days"
                label={t('History retention')}
                unit={t('days')}
                description={t(
                  '{min, number} to {max, number} (two years). Lists and firewalls can be shown as they were in this time.',
                  SETTING_LIMITS.history_retention_days,
                )}
                {...SETTING_LIMITS.history_retention_days}
                disabled={locked !== null}
              />
            </Section>
            <Section id="change-approval" title={t('Approval of changes')}>
              <NumberField
                control={control}
                name="change_approvals_required"
                label={t('Approvals required')}
                description={t(
                  '{min, number} to {max, number}, by people other than the author. A tenant can require more.',
                  SETTING_LIMITS.change_approvals_required,
                )}
                {...SETTING_LIMITS.change_approvals_required}
                disabled={locked !== null}
              />
              <SelectField
                control={control}
                name="change_approval_scope"
                label={t('Approval applies to')}
                description={t('An enforcing change changes rules on workloads.')}
                options={APPROVAL_SCOPES.map((value) => ({ value, label: t(SCOPE_LABELS[value]) }))}
                disabled={locked !== null}
              />
            </Section>
            <Section id="policy-expiry" title={t('Policies of the installation')}>
              <SelectField
                control={control}
                name="policy_on_expiry"
                label={t('Expired rules and policies')}
                description={t('Tenants choose for their own policies.')}
                options={ON_EXPIRY.map((value) => ({ value, label: t(ON_EXPIRY_LABELS[value]) }))}
                disabled={locked !== null}
              />
              <PeriodField control={control} name="policy_recertification_days" disabled={locked !== null} />
            </Section>
            <Section id="audit-retention" title={t('Audit trail')}>
              <NumberField
                control={control}
                name="audit_retention_days"
                label={t('Audit record retention')}
                optional
                unit={t('days')}
                description={t(
                  '{min, number} to {max, number} (ten years); empty keeps all. Older records are deleted permanently, once a day. The trail stays verifiable: a record marks where it was cut.',
                  SETTING_LIMITS.audit_retention_days,
                )}
                {...SETTING_LIMITS.audit_retention_days}
                disabled={locked !== null}
              />
            </Section>
          </>
        )}
      </VersionedSettings>
    </div>
  );
}

type ScheduleProps = {
  control: Control<SettingsValues, unknown, RuntimeSettingsUpdate>;
  /** As in the names of its settings. */
  kind: 'node' | 'ipam';
  label: string;
  interval: string;
  lastAt: string | null;
  disabled: boolean;
};

/** Whether something runs by itself, and how often. */
function Schedule({ control, kind, label, interval, lastAt, disabled }: ScheduleProps) {
  const t = useT();
  const minutes = `auto_${kind}_sync_interval_minutes` as const;
  const limits = SETTING_LIMITS[minutes];
  return (
    <div className="flex flex-col gap-3">
      <CheckboxField
        control={control}
        name={`auto_${kind}_sync_enabled`}
        label={label}
        description={t.rich('Last automatic run: {at}', { at: <RelativeTime at={lastAt} none={t('never')} /> })}
        disabled={disabled}
      />
      <NumberField
        control={control}
        name={minutes}
        label={interval}
        unit={t('minutes')}
        description={t('{min, number} to {max, number} (one week).', limits)}
        {...limits}
        disabled={disabled}
      />
    </div>
  );
}

/** The form of the runtime settings; a number is null while its box is empty. */
export type SettingsValues = {
  [K in keyof RuntimeChoices]: RuntimeChoices[K] extends number ? number | null : RuntimeChoices[K];
};

/** What can be changed, without when it was changed and when it was last used. */
export function toSettingsValues(settings: RuntimeSettingsRead): SettingsValues {
  const {
    version: _,
    updated_at: _at,
    last_node_auto_sync_at: _node,
    last_ipam_auto_sync_at: _ipam,
    ...choices
  } = settings;
  return choices;
}

/** What is sent: the whole form, with the version it was read at so that no one else's change is overwritten. */
export function toSettingsUpdate(
  values: SettingsValues,
  { version }: Pick<RuntimeSettingsRead, 'version'>,
): { [K in keyof SettingsValues]: SettingsValues[K] } & Pick<RuntimeSettingsUpdate, 'version'> {
  return { ...values, version };
}
