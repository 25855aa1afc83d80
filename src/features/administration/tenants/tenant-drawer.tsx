'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Control } from 'react-hook-form';
import { APPROVAL_SCOPES, ON_EXPIRY, SETTING_LIMITS } from '@/domain/choices';
import { type Tenant, TenantInput, TenantUpdate } from '@/domain/tenant';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { NumberField } from '@/ui/form/number-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { ON_EXPIRY_LABELS, SCOPE_LABELS } from '../../shared/change-rule-labels';
import { PeriodField } from '../../shared/period-field';
import { useVersioned } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { VersionedDrawer } from '../../shared/versioned-form';
import { EMPTY_TENANT, type TenantValues, toTenantValues } from './tenant-values';
import { WindowFields } from './window-fields';

const onMoveOptions = (t: Translate) => [
  { value: 'remove' as const, label: t('Remove rules') },
  { value: 'keep' as const, label: t('Keep until removed manually') },
];

function Fields<Out>({ control }: { control: Control<TenantValues, unknown, Out> }) {
  const t = useT();
  return (
    <>
      <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus />
      <TextareaField control={control} name="description" label={t('Description')} optional rows={2} />
      <SelectField
        control={control}
        name="on_move"
        label={t('Rules on departing workloads')}
        description={t(
          'Applies when a mapping rule moves a workload to another tenant. Manual moves always remove the rules.',
        )}
        options={onMoveOptions(t)}
      />
      <SelectField
        control={control}
        name="on_expiry"
        label={t('Expired rules and policies')}
        description={t('A removal is a change of its own. The approval of the expiry is its approval.')}
        options={ON_EXPIRY.map((value) => ({ value, label: t(ON_EXPIRY_LABELS[value]) }))}
      />
      <PeriodField control={control} name="recertification_days" />
      <NumberField
        control={control}
        name="approvals_required"
        label={t('Approvals required')}
        description={t(
          '{min, number} to {max, number}, by people other than the author. The stricter rule of tenant and installation applies.',
          SETTING_LIMITS.change_approvals_required,
        )}
        {...SETTING_LIMITS.change_approvals_required}
      />
      <SelectField
        control={control}
        name="approval_scope"
        label={t('Approval applies to')}
        description={t('An enforcing change changes rules on workloads.')}
        options={APPROVAL_SCOPES.map((value) => ({ value, label: t(SCOPE_LABELS[value]) }))}
      />
      <WindowFields control={control} />
    </>
  );
}

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
      description={t('Users of a tenant see only its workloads, groups, policies and flows.')}
      defaultValues={EMPTY_TENANT}
      schema={TenantInput}
      toInput={(values) => values}
      save={save}
      submitLabel={t('Create tenant')}
      onClose={onClose}
    >
      {(control) => <Fields control={control} />}
    </RecordDrawer>
  );
}

/** Changes a tenant. Mount it when it opens. */
export function EditTenantDrawer({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.tenants.get.queryOptions({ id: tenant.id }),
    saved: () => t('Tenant saved'),
    outdated: [trpc.tenants.pathFilter()],
    onClose,
  });
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: tenant.name })}
      opened={tenant}
      {...stored}
      schema={TenantUpdate}
      toValues={toTenantValues}
      toInput={(values, { version }) => ({ ...values, version })}
      save={(input) => client.tenants.update.mutate({ id: tenant.id, ...input })}
      submitLabel={t('Save tenant')}
    >
      {({ control }) => <Fields control={control} />}
    </VersionedDrawer>
  );
}
