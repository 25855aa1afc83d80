'use client';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { TAG_MATCHES } from '@/domain/choices';
import { useT } from '@/lib/i18n/use-t';
import { RadioField } from '@/ui/form/radio-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import { OwnerFields, useOwner } from '../shared/owner-fields';
import type { GroupValues } from './group-form-values';

type Props<Out> = {
  form: UseFormReturn<GroupValues, unknown, Out>;
  /** Tenants to choose between; only when a group is made. */
  tenants?: readonly Option[];
  /** Of a group that exists. */
  tenantId?: string | null;
};

/** Problems of one tag are shown where all of them are typed. */
export const groupFieldName = (field: string) => (field.startsWith('member_tags.') ? 'member_tags' : field);

/** Name, description and tag rule of a group. */
export function GroupFields<Out>({ form, tenants = [], tenantId }: Props<Out>) {
  const t = useT();
  const { control } = form;
  const { projects } = useOwner(form, 'group:write', tenantId);
  const tags = useWatch({ control, name: 'member_tags' });
  return (
    <>
      <TextField
        control={control}
        name="name"
        label={t('Name')}
        description={t('Policies refer to the group as sg:name. While a policy does, the group cannot be renamed.')}
        maxLength={64}
        autoFocus
      />
      <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
      <OwnerFields
        form={form}
        tenants={tenants}
        projects={projects}
        tenantNote={t("A tenant's group can have only members and policies of that tenant.")}
        projectNote={t("A project's group can have only members and policies of that project.")}
      />
      <TextField
        control={control}
        name="member_tags"
        label={t('Members by tag')}
        optional
        mono
        placeholder={t('web, dmz')}
        description={t('Workloads with these tags on the cluster are members while they have the tags.')}
      />
      {tags.trim() !== '' && (
        <RadioField
          control={control}
          name="member_tags_match"
          label={t('Tag match')}
          options={TAG_MATCHES.map((value) => ({
            value,
            label: value === 'any' ? t('Any of these tags') : t('All of these tags'),
          }))}
        />
      )}
    </>
  );
}
