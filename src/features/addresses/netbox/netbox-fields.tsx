'use client';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Control, useFieldArray } from 'react-hook-form';
import type { NetboxSource } from '@/domain/netbox/source';
import { useT } from '@/lib/i18n/use-t';
import { Button, IconButton } from '@/ui/button';
import { ComboboxField } from '@/ui/form/combobox-field';
import { NumberField } from '@/ui/form/number-field';
import { PasswordField } from '@/ui/form/password-field';
import { RemoteComboboxField } from '@/ui/form/remote-combobox-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { useTenantsWithin } from '../../shared/tenant-options';
import { usePermissions } from '../../shared/use-permissions';
import { useGroupOptions, useNetworkOptions } from '../../shared/use-searched-options';
import { NEW_NETWORK, type NetboxValues } from './netbox-form-values';

type Rows<Out> = { control: Control<NetboxValues, unknown, Out> };
type FrameProps = {
  legend: string;
  help: string;
  addLabel: string;
  onAdd: () => void;
  disabledReason?: string | null;
  children: ReactNode;
};

/** A list of lines with a button that adds one. */
function RowsFrame({ legend, help, addLabel, onAdd, disabledReason = null, children }: FrameProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">{legend}</legend>
      <p className="text-sm text-pretty text-faint">{help}</p>
      {children}
      <div>
        <Button size="sm" icon={<Plus size={14} />} onClick={onAdd} disabledReason={disabledReason}>
          {addLabel}
        </Button>
      </div>
    </fieldset>
  );
}

const ROW = 'grid grid-cols-1 items-start gap-2 rounded-lg border p-3';

function NetworkRows<Out>({ control }: Rows<Out>) {
  const t = useT();
  const { fields, append, remove } = useFieldArray({ control, name: 'networks' });
  const networks = useNetworkOptions();
  return (
    <RowsFrame
      legend={t('Networks of VRFs')}
      help={t('Prefixes of other VRFs are skipped. A line with a VLAN precedes the one without.')}
      addLabel={t('Add VRF')}
      onAdd={() => append(NEW_NETWORK)}
    >
      {fields.map((field, index) => (
        <div key={field.id} className={`${ROW} sm:grid-cols-[1fr_130px_1.2fr_auto]`}>
          <TextField
            control={control}
            name={`networks.${index}.vrf`}
            label={t('VRF')}
            placeholder={t('Global table')}
            maxLength={100}
            optional
          />
          <NumberField
            control={control}
            name={`networks.${index}.vlan`}
            label={t('VLAN')}
            min={1}
            max={4094}
            optional
            steppers={false}
          />
          <RemoteComboboxField
            control={control}
            name={`networks.${index}.network`}
            label={t('Network')}
            placeholder={t('Enter a network name')}
            {...networks}
          />
          <IconButton
            label={t('Remove VRF {n}', { n: index + 1 })}
            icon={<Trash2 size={14} />}
            onClick={() => remove(index)}
            className="sm:mt-6"
          />
        </div>
      ))}
    </RowsFrame>
  );
}

function GroupRows<Out>({ control }: Rows<Out>) {
  const t = useT();
  const { fields, append, remove } = useFieldArray({ control, name: 'groups' });
  const { reason } = usePermissions();
  const groups = useGroupOptions({ enabled: fields.length > 0 });
  return (
    <RowsFrame
      legend={t('Groups of tags')}
      help={t('Workloads that hold an address with the tag become members. None is removed.')}
      addLabel={t('Add tag')}
      onAdd={() => append({ tag: '', group: null })}
      disabledReason={reason('group:write')}
    >
      {fields.map((field, index) => (
        <div key={field.id} className={`${ROW} sm:grid-cols-[1fr_1.2fr_auto]`}>
          <TextField control={control} name={`groups.${index}.tag`} label={t('Tag (slug)')} mono maxLength={100} />
          <RemoteComboboxField control={control} name={`groups.${index}.group`} label={t('Group')} {...groups} />
          <IconButton
            label={t('Remove tag {n}', { n: index + 1 })}
            icon={<Trash2 size={14} />}
            onClick={() => remove(index)}
            className="sm:mt-6"
          />
        </div>
      ))}
    </RowsFrame>
  );
}

function TenantRows<Out>({ control }: Rows<Out>) {
  const t = useT();
  const { fields, append, remove } = useFieldArray({ control, name: 'tenants' });
  const tenants = useTenantsWithin('tenant:read');
  return (
    <RowsFrame
      legend={t('Tenants')}
      help={t('Addresses of a NetBox tenant without a match join no group of a tenant.')}
      addLabel={t('Add tenant')}
      onAdd={() => append({ slug: '', tenant_id: null })}
    >
      {fields.map((field, index) => (
        <div key={field.id} className={`${ROW} sm:grid-cols-[1fr_1.2fr_auto]`}>
          <TextField
            control={control}
            name={`tenants.${index}.slug`}
            label={t('NetBox tenant (slug)')}
            mono
            maxLength={100}
          />
          <ComboboxField control={control} name={`tenants.${index}.tenant_id`} label={t('Tenant')} options={tenants} />
          <IconButton
            label={t('Remove tenant {n}', { n: index + 1 })}
            icon={<Trash2 size={14} />}
            onClick={() => remove(index)}
            className="sm:mt-6"
          />
        </div>
      ))}
    </RowsFrame>
  );
}

/** Which NetBox is read, what of it, and where it belongs. */
export function NetboxFields<Out>({ control, stored }: Rows<Out> & { stored?: NetboxSource }) {
  const t = useT();
  return (
    <>
      <TextField control={control} name="name" label={t('Name')} maxLength={100} autoFocus={!stored} />
      <TextField
        control={control}
        name="url"
        label={t('URL')}
        type="url"
        mono
        placeholder="https://netbox.example.org"
        description={t('The address of NetBox. http is accepted for private addresses only.')}
      />
      <PasswordField
        control={control}
        name="token"
        label={t('API token')}
        autoComplete="off"
        optional={stored !== undefined}
        description={
          stored
            ? t('Leave empty to keep the stored token. A URL on another server requires the token again.')
            : t('A read-only token is enough. Stored encrypted and not shown again.')
        }
      />
      <TextareaField
        control={control}
        name="ca_certificates"
        label={t('Certificate authorities')}
        rows={3}
        optional
        description={t("PEM certificates to trust instead of the system's.")}
      />
      <NetworkRows control={control} />
      <TextField
        control={control}
        name="filter_tenant"
        label={t('Only of NetBox tenant')}
        description={t('Its slug. Empty: all.')}
        mono
        optional
      />
      <TextField
        control={control}
        name="filter_tag"
        label={t('Only with tag')}
        description={t('Its slug. Empty: all.')}
        mono
        optional
      />
      <GroupRows control={control} />
      <TenantRows control={control} />
    </>
  );
}
