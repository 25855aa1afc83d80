'use client';
import { type Control, useWatch } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { ComboboxField } from '@/ui/form/combobox-field';
import { PasswordField } from '@/ui/form/password-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import { NO_TENANT } from '../shared/tenant-options';
import { timeZoneOptions } from '../shared/time-zone-options';
import { channelKindOptions, TEMPLATE_LABELS, templateOptions } from './channel-columns';
import type { ChannelValues } from './channel-form-values';
import { PayloadPreview } from './payload-preview';

type Props<Out> = {
  control: Control<ChannelValues, unknown, Out>;
  /** Of a channel that is there: its kind stays, and its URL is only entered to change it. */
  urlOrigin?: string | null;
  tenants?: readonly Option[];
};

/** Where a channel leads. */
export function ChannelFields<Out>({ control, urlOrigin, tenants = [] }: Props<Out>) {
  const t = useT();
  const [kind, tenantId, template, zone] = useWatch({ control, name: ['kind', 'tenant_id', 'template', 'time_zone'] });
  const made = urlOrigin !== undefined;
  const ofTenant = tenantId !== null && tenantId !== NO_TENANT;
  return (
    <>
      <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
      {!made && <SelectField control={control} name="kind" label={t('Kind')} options={channelKindOptions(t)} />}
      {tenants.length > 0 && (
        <SelectField
          control={control}
          name="tenant_id"
          label={t('Available to rules of')}
          description={t('The tenant cannot be changed later.')}
          options={tenants.map(({ value, label }) => ({ value, label }))}
        />
      )}
      {kind === 'webhook' && (
        <SelectField
          control={control}
          name="template"
          label={t('Template')}
          description={t('The format in which the receiver expects messages.')}
          options={templateOptions(t)}
        />
      )}
      {kind === 'webhook' ? (
        <TextField
          control={control}
          name="url"
          label={t('URL')}
          type="url"
          mono
          optional={made}
          placeholder={made && urlOrigin ? `${urlOrigin}/…` : TEMPLATE_LABELS[template].url}
          description={
            made
              ? t('Stored encrypted and not shown again. Leave empty to keep the current URL.')
              : ofTenant
                ? t('Stored encrypted and not shown again. It must use https and resolve to a public address.')
                : t('Stored encrypted and not shown again. http is accepted for private addresses only.')
          }
        />
      ) : (
        <TextareaField
          control={control}
          name="recipients"
          label={t('Recipients')}
          rows={3}
          description={t("One address per line, at most 20. Recipients see each other's addresses.")}
        />
      )}
      {kind === 'webhook' && template === 'pagerduty' && (
        <PasswordField
          control={control}
          name="routing_key"
          label={t('Integration key')}
          autoComplete="off"
          optional={made}
          description={
            made
              ? t('Leave empty to keep the stored key. A URL on another server requires the key again.')
              : t('Of an Events API v2 integration of the PagerDuty service. Stored encrypted.')
          }
        />
      )}
      <ComboboxField
        control={control}
        name="time_zone"
        label={t('Time zone in messages')}
        optional
        placeholder={t('Time zone of the installation')}
        options={timeZoneOptions()}
      />
      <CheckboxField control={control} name="enabled" label={t('Channel enabled')} />
      <PayloadPreview kind={kind} template={template} timeZone={zone} />
    </>
  );
}
