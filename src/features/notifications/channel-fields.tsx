'use client';
import { type Control, useWatch } from 'react-hook-form';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import { NO_TENANT } from '../shared/tenant-options';
import type { ChannelValues } from './channel-form-values';

const KINDS = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'email', label: 'E-mail' },
] as const;

type Props<Out> = {
  control: Control<ChannelValues, unknown, Out>;
  /** Of a channel that is there: its kind stays, and its URL is only entered to change it. */
  urlOrigin?: string | null;
  tenants?: readonly Option[];
};

/** Where a channel leads. */
export function ChannelFields<Out>({ control, urlOrigin, tenants = [] }: Props<Out>) {
  const [kind, tenantId] = useWatch({ control, name: ['kind', 'tenant_id'] });
  const made = urlOrigin !== undefined;
  const ofTenant = tenantId !== null && tenantId !== NO_TENANT;
  return (
    <>
      <TextField control={control} name="name" label="Name" maxLength={100} autoFocus />
      {!made && <SelectField control={control} name="kind" label="Kind" options={KINDS} />}
      {tenants.length > 0 && (
        <SelectField
          control={control}
          name="tenant_id"
          label="For rules of"
          description="It stays with its tenant."
          options={tenants.map(({ value, label }) => ({ value, label }))}
        />
      )}
      {kind === 'webhook' ? (
        <TextField
          control={control}
          name="url"
          label="URL"
          type="url"
          mono
          optional={made}
          placeholder={made && urlOrigin ? `${urlOrigin}/…` : 'https://'}
          description={
            made
              ? 'Stored encrypted and not shown again. Leave it empty to keep it.'
              : `Stored encrypted and not shown again. Prefer https. ${ofTenant ? 'It has to lead to a public address.' : ''}`
          }
        />
      ) : (
        <TextareaField
          control={control}
          name="recipients"
          label="Recipients"
          rows={3}
          description="One address per line, at most 20. They see each other."
        />
      )}
      <CheckboxField control={control} name="enabled" label="Channel is on" />
    </>
  );
}
