'use client';
import { useEffect } from 'react';
import { type DefaultValues, useForm, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { TAG_MATCHES } from '@/domain/security-group';
import { useT } from '@/lib/i18n/use-t';
import { FormShell } from '@/ui/form/form-shell';
import { RadioField } from '@/ui/form/radio-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import type { Option } from '@/ui/option';
import type { Problem } from '@/ui/problem';
import { domainResolver } from '../shared/domain-resolver';
import { toTenantId } from '../shared/tenant-options';
import { useProjectOptions } from '../shared/use-project-options';
import type { GroupValues } from './group-form-values';

type Props<S extends z.ZodType<Record<string, unknown>>> = {
  defaultValues: GroupValues;
  schema: S;
  toInput: (values: GroupValues) => unknown;
  onSubmit: (input: z.output<S>) => void;
  error: Problem | null;
  pending: boolean;
  submitLabel: string;
  /** Tenants to choose between; only when a group is made. */
  tenants?: readonly Option[];
  /** Of a group that exists. */
  tenantId?: string | null;
  onCancel: () => void;
};

/** Name, description and tag rule of a group. */
export function GroupForm<S extends z.ZodType<Record<string, unknown>>>(props: Props<S>) {
  const t = useT();
  const { tenants = [] } = props;
  const form = useForm<GroupValues, unknown, z.output<S>>({
    defaultValues: props.defaultValues as DefaultValues<GroupValues>,
    resolver: domainResolver(props.schema, props.toInput),
  });
  const { control, setValue } = form;
  const isNew = props.tenantId === undefined;
  const chosenTenant = useWatch({ control, name: 'tenant_id' });
  const projects = useProjectOptions('group:write', isNew ? toTenantId(chosenTenant).tenant_id : props.tenantId);
  const project = useWatch({ control, name: 'project_id' });
  useEffect(() => {
    // What was chosen for one tenant is nothing in another one.
    if (isNew && !projects.some(({ value }) => value === project)) setValue('project_id', projects[0]?.value ?? null);
  }, [isNew, projects, project, setValue]);
  const tags = useWatch({ control: form.control, name: 'member_tags' });
  return (
    <FormShell
      form={form}
      onSubmit={props.onSubmit}
      error={props.error}
      pending={props.pending}
      submitLabel={props.submitLabel}
      onCancel={props.onCancel}
      layout="panel"
      // Problems of one tag are shown where all of them are typed.
      fieldName={(field) => (field.startsWith('member_tags.') ? 'member_tags' : field)}
    >
      <TextField
        control={form.control}
        name="name"
        label={t('Name')}
        description={t('Policies refer to it as sg:name; while one does, the name stays.')}
        maxLength={64}
        autoFocus
      />
      <TextareaField control={form.control} name="description" label={t('Description')} optional rows={2} />
      {tenants.length > 0 && (
        <SelectField
          control={form.control}
          name="tenant_id"
          label={t('Tenant')}
          description={t("Members and policies of a tenant's group are of that tenant.")}
          options={tenants}
        />
      )}
      {projects.length > 0 && (
        <SelectField
          control={form.control}
          name="project_id"
          label={t('Project')}
          description={t("Members and policies of a project's group are of that project.")}
          options={projects}
          placeholder={t('Whole tenant')}
        />
      )}
      <TextField
        control={form.control}
        name="member_tags"
        label={t('Members by tag')}
        optional
        mono
        placeholder={t('web, dmz')}
        description={t('Workloads that carry these tags on the cluster are members for as long as they carry them.')}
      />
      {tags.trim() !== '' && (
        <RadioField
          control={form.control}
          name="member_tags_match"
          label={t('Which tags count')}
          options={TAG_MATCHES.map((value) => ({
            value,
            label: value === 'any' ? t('Any of these tags') : t('All of these tags'),
          }))}
        />
      )}
    </FormShell>
  );
}
