'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import { type NotificationSettings, NotificationSettingsUpdate } from '@/domain/notifications/settings';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { ComboboxField } from '@/ui/form/combobox-field';
import { NumberField } from '@/ui/form/number-field';
import { PasswordField } from '@/ui/form/password-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { QueryView } from '../shared/query-view';
import { useReadAgain } from '../shared/record-cache';
import { timeZoneOptions } from '../shared/time-zone-options';
import { useVersionedForm } from '../shared/use-versioned-form';
import { VersionedSettings } from '../shared/versioned-form';
import { toMailUpdate, toMailValues } from './mail-settings-values';

const securityOptions = (t: Translate) => [
  { value: 'starttls', label: 'STARTTLS', description: t('STARTTLS required; usually port 587.') },
  { value: 'tls', label: 'TLS', description: t('Implicit TLS; usually port 465.') },
  { value: 'none', label: t('None'), description: t('Unencrypted; only for a server on the same machine.') },
];

/** The mail server, and the address of this service in links. */
export function MailSettings() {
  const trpc = useTRPC();
  const query = useQuery(trpc.notificationChannels.settings.queryOptions());
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-96 max-w-2xl" />}>
      {(settings) => <MailForm settings={settings} />}
    </QueryView>
  );
}

function MailForm({ settings }: { settings: NotificationSettings }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const edit = useVersionedForm({
    opened: settings,
    read: () => readAgain(trpc.notificationChannels.settings.queryOptions()),
    schema: NotificationSettingsUpdate,
    toValues: toMailValues,
    toInput: toMailUpdate,
    save: (input) => client.notificationChannels.updateSettings.mutate(input),
    onSaved: (saved) => {
      queryClient.setQueryData(trpc.notificationChannels.settings.queryKey(), saved);
      edit.show(saved);
      showToast('ok', { title: t('Email settings saved') });
    },
  });
  const { control } = edit.form;
  const security = useWatch({ control, name: 'smtp_security' });
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
            <Section title={t('Mail server')}>
              <div className="flex flex-col gap-3">
                <TextField
                  control={control}
                  name="smtp_host"
                  label={t('Host')}
                  mono
                  optional
                  disabled={locked !== null}
                />
                <NumberField
                  control={control}
                  name="smtp_port"
                  label={t('Port')}
                  min={1}
                  max={65_535}
                  steppers={false}
                  disabled={locked !== null}
                />
                <SelectField
                  control={control}
                  name="smtp_security"
                  label={t('Security')}
                  options={securityOptions(t)}
                  description={
                    security === 'none'
                      ? t('Anyone who intercepts the connection can read the notifications and the password.')
                      : undefined
                  }
                  disabled={locked !== null}
                />
                <TextField
                  control={control}
                  name="smtp_username"
                  label={t('Username')}
                  optional
                  disabled={locked !== null}
                />
                <PasswordField
                  control={control}
                  name="smtp_password"
                  label={t('Password')}
                  autoComplete="off"
                  optional
                  description={
                    settings.smtp_password_set
                      ? t(
                          'A password is stored. Leave empty to keep it; a new host or port requires the password again.',
                        )
                      : t('Stored encrypted and not shown again.')
                  }
                  disabled={locked !== null}
                />
                <TextField
                  control={control}
                  name="from_address"
                  label={t('Sender address')}
                  type="email"
                  optional
                  disabled={locked !== null}
                />
              </div>
            </Section>
            <Section title={t('Messages')}>
              <div className="flex flex-col gap-3">
                <TextField
                  control={control}
                  name="public_url"
                  label={t('URL of this service')}
                  type="url"
                  mono
                  optional
                  placeholder="https://fabric.example.org"
                  description={t('Base URL for links in notifications. Without it, notifications have no links.')}
                  disabled={locked !== null}
                />
                <ComboboxField
                  control={control}
                  name="time_zone"
                  label={t('Time zone in messages')}
                  optional
                  placeholder={t('Time zone of the server')}
                  description={t('A channel can have its own.')}
                  options={timeZoneOptions()}
                  disabled={locked !== null}
                />
              </div>
            </Section>
          </>
        )}
      </VersionedSettings>
    </div>
  );
}
