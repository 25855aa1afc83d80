'use client';
import { useMutation } from '@tanstack/react-query';
import { type Project, ProjectInput, ProjectUpdate } from '@/domain/project';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { ComboboxField } from '@/ui/form/combobox-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { useSaved, useVersioned } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { VersionedDrawer } from '../../shared/versioned-form';
import { useTenantChoices } from '../use-choices';

/** Makes a project, in the tenant given or in one that is chosen. Mount it when it opens. */
export function CreateProjectDrawer({ tenantId, onClose }: { tenantId?: string; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const done = useSaved(onClose);
  const tenants = useTenantChoices();
  const save = useMutation(
    trpc.projects.create.mutationOptions({
      onSuccess: (project) =>
        done(t('{name} created', { name: project.name }), trpc.projects.pathFilter(), trpc.tenants.pathFilter()),
    }),
  );
  return (
    <RecordDrawer
      title={t('Create project')}
      description={t('Workloads assigned to a project belong to its tenant.')}
      defaultValues={{ tenant_id: tenantId ?? null, name: '', description: '' }}
      schema={ProjectInput}
      toInput={(values) => ({ ...values, tenant_id: values.tenant_id ?? '' })}
      save={save}
      submitLabel={t('Create project')}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
          {tenantId === undefined && (
            <ComboboxField
              control={control}
              name="tenant_id"
              label={t('Tenant')}
              description={t('The tenant cannot be changed later.')}
              options={tenants}
            />
          )}
          <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
        </>
      )}
    </RecordDrawer>
  );
}

const toProjectValues = ({ name, description }: Project) => ({ name, description });

/** Changes name and description of a project. Mount it when it opens. */
export function EditProjectDrawer({ project, onClose }: { project: Project; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.projects.get.queryOptions({ id: project.id }),
    saved: () => t('Project saved'),
    outdated: [trpc.projects.pathFilter()],
    onClose,
  });
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: project.name })}
      opened={project}
      {...stored}
      schema={ProjectUpdate}
      toValues={toProjectValues}
      toInput={(values, { version }) => ({ ...values, version })}
      save={(input) => client.projects.update.mutate({ id: project.id, ...input })}
      submitLabel={t('Save project')}
    >
      {({ control }) => (
        <>
          <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
          <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
        </>
      )}
    </VersionedDrawer>
  );
}
