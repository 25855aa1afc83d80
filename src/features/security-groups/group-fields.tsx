'use client';
import { useEffect } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { TAG_MATCHES } from '@/domain/choices';
import { useT } from '@/lib/i18n/use-t';
import { RadioField } from '@/ui/form/radio-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import { useProjectOptions } from '../shared/project-options';
import { toTenantId } from '../shared/tenant-options';
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
  const { control, setValue } = form;
  const isNew = tenantId === undefined;
  const chosenTenant = useWatch({ control, name: 'tenant_id' });
  const projects = useProjectOptions('group:write', isNew ? toTenantId(chosenTenant).tenant_id : tenantId);
  const project = useWatch({ control, name: 'project_id' });
  useEffect(() => {
    // What was chosen for one tenant is nothing in another one.
    if (isNew && !projects.some(({ value }) => value === project)) setValue('project_id', projects[0]?.value ?? null);
  }, [isNew, projects, project, setValue]);
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
      {tenants.length > 0 && (
        <SelectField
          control={control}
          name="tenant_id"
          label={t('Tenant')}
          description={t("A tenant's group can have only members and policies of that tenant.")}
          options={tenants}
        />
      )}
      {projects.length > 0 && (
        <SelectField
          control={control}
          name="project_id"
          label={t('Project')}
          description={t("A project's group can have only members and policies of that project.")}
          options={projects}
          placeholder={t('Whole tenant')}
        />
      )}
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
