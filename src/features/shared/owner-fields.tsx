'use client';
import { useEffect } from 'react';
import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import type { Permission } from '@/domain/permissions';
import { useT } from '@/lib/i18n/use-t';
import { SelectField } from '@/ui/form/select-field';
import type { Option } from '@/ui/option';
import { toProjectId, useProjectOptions } from './project-options';
import { toTenantId } from './tenant-options';

/** As they are chosen; null while there is nothing to choose. */
type OwnerValues = { tenant_id: string | null; project_id: string | null };
type Form<V extends FieldValues, Out> = UseFormReturn<V, unknown, Out>;

/** What a form chooses as the owner. `tenantId` is the tenant of something that exists. */
export function useOwner<V extends FieldValues, Out>(
  form: Form<V, Out>,
  permission: Permission,
  tenantId?: string | null,
) {
  const { control, setValue } = form as unknown as Form<OwnerValues, Out>;
  const isNew = tenantId === undefined;
  const chosenTenant = useWatch({ control, name: 'tenant_id' });
  const project = useWatch({ control, name: 'project_id' });
  const tenant = isNew ? toTenantId(chosenTenant).tenant_id : tenantId;
  const projects = useProjectOptions(permission, tenant);
  useEffect(() => {
    // What was chosen for one tenant is nothing in another one.
    if (isNew && !projects.some(({ value }) => value === project)) setValue('project_id', projects[0]?.value ?? null);
  }, [isNew, projects, project, setValue]);
  return { tenant_id: tenant, project_id: toProjectId(project).project_id, projects };
}

type Props<V extends FieldValues, Out> = {
  form: Form<V, Out>;
  /** Choices; none where there is nothing to choose. */
  tenants: readonly Option[];
  projects: readonly Option[];
  tenantNote?: string;
  projectNote?: string;
};

/** Tenant and project, as far as there is a choice. */
export function OwnerFields<V extends FieldValues, Out>({
  form,
  tenants,
  projects,
  tenantNote,
  projectNote,
}: Props<V, Out>) {
  const t = useT();
  const { control } = form as unknown as Form<OwnerValues, Out>;
  return (
    <>
      {tenants.length > 0 && (
        <SelectField
          control={control}
          name="tenant_id"
          label={t('Tenant')}
          description={tenantNote}
          options={tenants}
        />
      )}
      {projects.length > 0 && (
        <SelectField
          control={control}
          name="project_id"
          label={t('Project')}
          description={projectNote}
          options={projects}
          placeholder={t('Whole tenant')}
        />
      )}
    </>
  );
}
