'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { type RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';
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
        showToast('ok', { title: 'Settings saved' });
      },
    }),
  );
  const failure = save.error ? failureOf(save.error) : null;
  const outdated = failure?.code === 'version_conflict';
  const { isDirty } = form.formState;
  return (
    <div className="flex max-w-2xl flex-col gap-4">
      {locked && (
        <Notice tone="info" title="You can look, not change">
          {locked}
        </Notice>
      )}
      {outdated && (
        <Notice
          tone="warn"
          live
          title="Somebody else changed the settings"
          action={
            <Button size="sm" onClick={onReload}>
              Show their settings
            </Button>
          }
        >
          Your changes are not saved. Look at the new settings, then change them again.
        </Notice>
      )}
      <FormShell
        form={form}
        onSubmit={(input) => save.mutate(input)}
        error={outdated ? null : failure}
        pending={save.isPending}
        submitLabel="Save settings"
        disabledReason={locked ?? (isDirty ? null : 'Nothing has changed')}
        onCancel={isDirty ? () => form.reset() : undefined}
        cancelLabel="Undo changes"
      >
        <Section title="Inventory sync">
          <div className="flex flex-col gap-3">
            <CheckboxField
              control={form.control}
              name="auto_node_sync_enabled"
              label="Sync all clusters automatically"
              description={<LastRun at={settings.last_node_auto_sync_at} />}
              disabled={locked !== null}
            />
            <NumberField
              control={form.control}
              name="auto_node_sync_interval_minutes"
              label="Sync interval"
              unit="minutes"
              description="5 to 10,080 (one week)."
              min={5}
              max={10_080}
              disabled={locked !== null}
            />
          </div>
        </Section>
        <Section title="Address discovery">
          <div className="flex flex-col gap-3">
            <CheckboxField
              control={form.control}
              name="auto_ipam_sync_enabled"
              label="Discover addresses automatically"
              description={<LastRun at={settings.last_ipam_auto_sync_at} />}
              disabled={locked !== null}
            />
            <NumberField
              control={form.control}
              name="auto_ipam_sync_interval_minutes"
              label="Discovery interval"
              unit="minutes"
              description="5 to 10,080 (one week)."
              min={5}
              max={10_080}
              disabled={locked !== null}
            />
          </div>
        </Section>
        <Section title="Flows">
          <NumberField
            control={form.control}
            name="flow_retention_hours"
            label="Keep flows for"
            unit="hours"
            description="1 to 8,760 (one year). Older flows are deleted and cannot be brought back; their sums per hour stay for 400 days."
            min={1}
            max={8760}
            disabled={locked !== null}
          />
        </Section>
        <Section title="Audit trail">
          <NumberField
            control={form.control}
            name="audit_retention_days"
            label="Keep audit records for"
            optional
            unit="days"
            description="30 to 3,650 (ten years); empty keeps all. Older records are removed once a day and cannot be brought back. The trail stays verifiable: a record in it says where it was cut."
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
  return (
    <>
      Last automatic run: <RelativeTime at={at} none="never" />
    </>
  );
}
