'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Control, type UseFormSetValue, useWatch } from 'react-hook-form';
import { SETTABLE_STATES } from '@/domain/ipam/ip-address';
import { useTRPC } from '@/lib/trpc';
import { RadioField } from '@/ui/form/radio-field';
import { RemoteComboboxField } from '@/ui/form/remote-combobox-field';
import { SelectField } from '@/ui/form/select-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { ADDRESS_STATE_WORDS } from '../shared/ipam/address-state';
import { useWorkloadOptions } from '../shared/use-workload-options';
import { ADDRESS_LABELS, type AddressValues } from './address-form-values';

type Props<Out> = {
  control: Control<AddressValues, unknown, Out>;
  setValue: UseFormSetValue<AddressValues>;
  /** Workloads of this cluster can be chosen. */
  clusterId: string | undefined;
};

const STATES = SETTABLE_STATES.map((value) => ({
  value,
  label: ADDRESS_STATE_WORDS[value].word,
  description: ADDRESS_STATE_WORDS[value].meaning,
}));

/** Who has an address and what is noted about it. */
export function AddressFields<Out>({ control, setValue, clusterId }: Props<Out>) {
  const workloads = useWorkloadOptions({ clusterId });
  const workload = useWatch({ control, name: 'workload' });
  return (
    <>
      <RadioField control={control} name="state" label={ADDRESS_LABELS.state} options={STATES} />
      <RemoteComboboxField
        control={control}
        name="workload"
        label={ADDRESS_LABELS.workload_id}
        placeholder="Name, VMID or MAC address"
        optional
        onChosen={() => {
          setValue('interface_id', '');
          setValue('mac', '');
        }}
        {...workloads}
      />
      {workload && <InterfaceField control={control} workloadId={workload.value} />}
      <TextField control={control} name="hostname" label={ADDRESS_LABELS.hostname} optional />
      <TextField
        control={control}
        name="mac"
        label={ADDRESS_LABELS.mac}
        description={workload ? 'Left empty, that of the network card is taken.' : undefined}
        optional
        mono
      />
      <TextareaField control={control} name="description" label={ADDRESS_LABELS.description} rows={2} optional />
    </>
  );
}

function InterfaceField<Out>({ control, workloadId }: Pick<Props<Out>, 'control'> & { workloadId: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.workloads.get.queryOptions({ id: workloadId }));
  const options = useMemo(
    () => [
      { value: '', label: 'Not said' },
      ...(data?.interfaces ?? []).map((nic) => ({
        value: nic.id,
        label: [nic.name, nic.bridge, nic.mac].filter(Boolean).join(' · '),
      })),
    ],
    [data],
  );
  return (
    <SelectField
      control={control}
      name="interface_id"
      label="Network card"
      description="Not said: the only card on this network, when there is one."
      options={options}
      placeholder="Not said"
    />
  );
}
