'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Control, type UseFormSetValue, useWatch } from 'react-hook-form';
import { SETTABLE_STATES } from '@/domain/choices';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { RadioField } from '@/ui/form/radio-field';
import { RemoteComboboxField } from '@/ui/form/remote-combobox-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { ADDRESS_STATE_LABELS } from '../shared/ipam/address-state';
import { useWorkloadOptions } from '../shared/use-searched-options';
import { type AddressValues, addressLabels } from './address-form-values';

type Props<Out> = {
  control: Control<AddressValues, unknown, Out>;
  setValue: UseFormSetValue<AddressValues>;
  /** Workloads of this cluster can be chosen. */
  clusterId: string | undefined;
};

/** Who has an address and what is noted about it. */
export function AddressFields<Out>({ control, setValue, clusterId }: Props<Out>) {
  const t = useT();
  const workloads = useWorkloadOptions({ clusterId });
  const workload = useWatch({ control, name: 'workload' });
  const labels = addressLabels(t);
  const states = SETTABLE_STATES.map((value) => ({
    value,
    label: t(ADDRESS_STATE_LABELS[value].word),
    description: t(ADDRESS_STATE_LABELS[value].meaning),
  }));
  return (
    <>
      <RadioField control={control} name="state" label={labels.state} options={states} />
      <RemoteComboboxField
        control={control}
        name="workload"
        label={labels.workload_id}
        placeholder={t('Name, VMID or MAC address')}
        optional
        onChosen={() => {
          setValue('interface_id', '');
          setValue('mac', '');
        }}
        {...workloads}
      />
      {workload && <InterfaceField control={control} workloadId={workload.value} />}
      <TextField control={control} name="hostname" label={labels.hostname} optional />
      <TextField
        control={control}
        name="mac"
        label={labels.mac}
        description={workload ? t('If empty, the MAC address of the interface is used.') : undefined}
        optional
        mono
      />
      <TextareaField control={control} name="description" label={labels.description} rows={2} optional />
    </>
  );
}

function InterfaceField<Out>({ control, workloadId }: Pick<Props<Out>, 'control'> & { workloadId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery(trpc.workloads.get.queryOptions({ id: workloadId }));
  const options = useMemo(
    () => [
      { value: '', label: t('Not specified') },
      ...(data?.interfaces ?? []).map((nic) => ({
        value: nic.id,
        label: [nic.name, nic.bridge, nic.mac].filter(Boolean).join(' · '),
      })),
    ],
    [data, t],
  );
  return (
    <SelectField
      control={control}
      name="interface_id"
      label={t('Interface')}
      description={t("If not specified: the workload's only interface on this network, if there is exactly one.")}
      options={options}
      placeholder={t('Not specified')}
    />
  );
}
