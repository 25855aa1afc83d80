'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { type NotificationSettings, NotificationSettingsUpdate } from '@/domain/notifications/settings';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { FormShell } from '@/ui/form/form-shell';
import { NumberField } from '@/ui/form/number-field';
import { PasswordField } from '@/ui/form/password-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Skeleton } from '@/ui/skeleton';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../shared/domain-resolver';
import { QueryView } from '../shared/query-view';
import { usePermissions } from '../shared/use-permissions';
import { type MailValues, toMailUpdate, toMailValues } from './mail-settings-values';

const securityOptions = (t: Translate) => [
  { value: 'starttls', label: 'STARTTLS', description: t('Required; usually port 587.') },
  { value: 'tls', label: 'TLS', description: t('From the first byte; usually port 465.') },
  { value: 'none', label: t('None'), description: t('In clear text; for a server on the same machine.') },
];

/** The mail server, and the address of this service in links. */
export function MailSettings() {
  const trpc = useTRPC();
  const query = useQuery(trpc.notificationChannels.settings.queryOptions());
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-96 max-w-2xl" />}>
      {(settings) => <MailForm key={settings.version} settings={settings} onReload={() => void query.refetch()} />}
    </QueryView>
  );
}

function MailForm({ settings, onReload }: { settings: NotificationSettings; onReload: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const locked = reason('*');
  const form = useForm<MailValues, unknown, NotificationSettingsUpdate>({
    defaultValues: toMailValues(settings),
    resolver: domainResolver(NotificationSettingsUpdate, (values: MailValues) => toMailUpdate(values, settings)),
  });
  const { control } = form;
  const security = useWatch({ control, name: 'smtp_security' });
  const save = useMutation(
    trpc.notificationChannels.updateSettings.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.notificationChannels.settings.queryKey(), saved);
        showToast('ok', { title: 'E-mail settings saved' });
      },
    }),
  );
  const failure = save.error ? failureOf(save.error) : null;
  const outdated = failure?.code === 'version_conflict';
  const { isDirty } = form.formState;
  const disabled = locked !== null;
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
        <Section title={t('Mail server')}>
          <div className="flex flex-col gap-3">
            <TextField control={control} name="smtp_host" label={t('Host')} mono optional disabled={disabled} />
            <NumberField
              control={control}
              name="smtp_port"
              label={t('Port')}
              min={1}
              max={65_535}
              disabled={disabled}
            />
            <SelectField
              control={control}
              name="smtp_security"
              label={t('Security')}
              options={securityOptions(t)}
              description={
                security === 'none' ? t('Whoever is in between can read the notices, and the password.') : undefined
              }
              disabled={disabled}
            />
            <TextField control={control} name="smtp_username" label={t('User name')} optional disabled={disabled} />
            <PasswordField
              control={control}
              name="smtp_password"
              label={t('Password')}
              autoComplete="off"
              optional
              description={
                settings.smtp_password_set
                  ? t('One is stored encrypted. Leave it empty to keep it; another host or port needs it again.')
                  : t('Stored encrypted and not shown again.')
              }
              disabled={disabled}
            />
            <TextField
              control={control}
              name="from_address"
              label={t('Sender address')}
              type="email"
              optional
              disabled={disabled}
            />
          </div>
        </Section>
        <Section title={t('Links')}>
          <TextField
            control={control}
            name="public_url"
            label={t('Address of this service')}
            type="url"
            mono
            optional
            placeholder="https://fabric.example.org"
            description={t('For the links in notices. Without it they have none.')}
            disabled={disabled}
          />
        </Section>
      </FormShell>
    </div>
  );
}
