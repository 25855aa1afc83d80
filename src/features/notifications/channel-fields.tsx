'use client';
import { type Control, useWatch } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import { NO_TENANT } from '../shared/tenant-options';
import { channelKindOptions } from './channel-columns';
import type { ChannelValues } from './channel-form-values';

type Props<Out> = {
  control: Control<ChannelValues, unknown, Out>;
  /** Of a channel that is there: its kind stays, and its URL is only entered to change it. */
  urlOrigin?: string | null;
  tenants?: readonly Option[];
};

/** Where a channel leads. */
export function ChannelFields<Out>({ control, urlOrigin, tenants = [] }: Props<Out>) {
  const t = useT();
  const [kind, tenantId] = useWatch({ control, name: ['kind', 'tenant_id'] });
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
      {kind === 'webhook' ? (
        <TextField
          control={control}
          name="url"
          label={t('URL')}
          type="url"
          mono
          optional={made}
          placeholder={made && urlOrigin ? `${urlOrigin}/…` : 'https://'}
          description={
            made
              ? t('Stored encrypted and not shown again. Leave empty to keep the current URL.')
              : ofTenant
                ? t('Stored encrypted and not shown again. Prefer https. The URL must resolve to a public address.')
                : t('Stored encrypted and not shown again. Prefer https.')
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
      <CheckboxField control={control} name="enabled" label={t('Channel enabled')} />
    </>
  );
}
