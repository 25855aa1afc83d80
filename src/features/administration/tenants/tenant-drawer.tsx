'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Tenant, TenantInput, TenantUpdate } from '@/domain/tenant';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { showToast } from '@/ui/toast';
import { RecordDrawer } from '../../shared/record-drawer';
import { VersionedDrawer } from '../../shared/versioned-form';

type Values = Pick<Tenant, 'name' | 'description' | 'on_move'>;

const valuesOf = ({ name, description, on_move }: Values): Values => ({ name, description, on_move });

const onMoveOptions = (t: Translate) => [
  { value: 'remove' as const, label: t('Remove them') },
  { value: 'keep' as const, label: t('Keep them until someone removes them') },
];

/** Makes a tenant. Mount it when it opens. */
export function CreateTenantDrawer({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (tenant: Tenant) => void;
}) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const save = useMutation(
    trpc.tenants.create.mutationOptions({
      onSuccess: (tenant) => {
        void queryClient.invalidateQueries(trpc.tenants.pathFilter());
        onCreated(tenant);
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Create tenant')}
      description={t("A tenant's people see its workloads, groups, policies and flows, and nothing else.")}
      defaultValues={{ name: '', description: '', on_move: 'remove' as const }}
      schema={TenantInput}
      toInput={(values) => values}
      save={save}
      submitLabel={t('Create tenant')}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
          <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
          <SelectField
            control={control}
            name="on_move"
            label={t('Rules on workloads that leave')}
            description={t('When a mapping rule moves a workload to another tenant. Manual moves always remove them.')}
            options={onMoveOptions(t)}
          />
        </>
      )}
    </RecordDrawer>
  );
}

/** Changes name and description of a tenant. Mount it when it opens. */
export function EditTenantDrawer({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: tenant.name })}
      opened={tenant}
      read={() => queryClient.fetchQuery({ ...trpc.tenants.get.queryOptions({ id: tenant.id }), staleTime: 0 })}
      schema={TenantUpdate}
      toValues={valuesOf}
      toInput={(values, { version }) => ({ ...values, version })}
      save={(input) => client.tenants.update.mutate({ id: tenant.id, ...input })}
      onSaved={(saved) => {
        queryClient.setQueryData(trpc.tenants.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.tenants.pathFilter());
        showToast('ok', { title: t('Tenant saved') });
        onClose();
      }}
      submitLabel={t('Save tenant')}
      onClose={onClose}
    >
      {({ control }) => (
        <>
          <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
          <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
          <SelectField
            control={control}
            name="on_move"
            label={t('Rules on workloads that leave')}
            description={t('When a mapping rule moves a workload to another tenant. Manual moves always remove them.')}
            options={onMoveOptions(t)}
          />
        </>
      )}
    </VersionedDrawer>
  );
}
