'use client';
import { useMutation } from '@tanstack/react-query';
import { NetworkInput } from '@/domain/ipam/network';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { ComboboxField } from '@/ui/form/combobox-field';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { useSaved } from '../shared/record-cache';
import { RecordForm } from '../shared/record-drawer';
import { useClusterOptions } from '../shared/use-cluster-options';
import { EMPTY_NETWORK, networkLabels, toNetworkInput } from './network-form-values';

type Props = { open: boolean; onClose: () => void; onAdded: (id: string) => void };

/** Adds a network manually, for prefixes that belong to no bridge or VNet of the cluster. */
export function AddNetworkDrawer({ open, onClose, onAdded }: Props) {
  const t = useT();
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={t('Add network')}
      description={t('For prefixes without a bridge or VNet. Nothing is created on the cluster.')}
    >
      <Content onClose={onClose} onAdded={onAdded} />
    </Drawer>
  );
}

function Content({ onClose, onAdded }: Omit<Props, 'open'>) {
  const t = useT();
  const labels = networkLabels(t);
  const trpc = useTRPC();
  const done = useSaved();
  const clusters = useClusterOptions();
  const create = useMutation(
    trpc.networks.create.mutationOptions({
      onSuccess: (network) => {
        done(t('{name} added', { name: network.name }), trpc.networks.pathFilter());
        onAdded(network.id);
      },
    }),
  );
  return (
    <RecordForm
      defaultValues={EMPTY_NETWORK}
      schema={NetworkInput}
      toInput={toNetworkInput}
      save={create}
      submitLabel={t('Add network')}
      onClose={onClose}
    >
      {(control) => (
        <>
          <ComboboxField control={control} name="cluster_id" label={t('Cluster')} options={clusters} />
          <TextField control={control} name="name" label={labels.name} />
          <NumberField
            control={control}
            name="vlan_tag"
            label={labels.vlan_tag}
            min={1}
            max={4094}
            optional
            steppers={false}
          />
          <TextareaField control={control} name="description" label={labels.description} rows={2} optional />
        </>
      )}
    </RecordForm>
  );
}
