'use client';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { NetworkInput } from '@/domain/ipam/network';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { ComboboxField } from '@/ui/form/combobox-field';
import { FormShell } from '@/ui/form/form-shell';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { domainResolver } from '../shared/domain-resolver';
import { useSaved } from '../shared/record-cache';
import { useClusterOptions } from '../shared/use-cluster-options';
import { EMPTY_NETWORK, type NetworkValues, networkLabels, toNetworkInput } from './network-form-values';

type Props = { open: boolean; onClose: () => void; onAdded: (id: string) => void };

/** Adds a network by hand, for prefixes that no bridge or VNet of the cluster stands for. */
export function AddNetworkDrawer({ open, onClose, onAdded }: Props) {
  const t = useT();
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={t('Add network')}
      description={t('For prefixes that no bridge or VNet stands for. Nothing is made on the cluster.')}
    >
      <Content onClose={onClose} onAdded={onAdded} />
    </Drawer>
  );
}

function Content({ onClose, onAdded }: Omit<Props, 'open'>) {
  const t = useT();
  const labels = networkLabels(t);
  const trpc = useTRPC();
  const done = useSaved(onClose);
  const clusters = useClusterOptions();
  const form = useForm<NetworkValues, unknown, NetworkInput>({
    defaultValues: EMPTY_NETWORK,
    resolver: domainResolver(NetworkInput, toNetworkInput),
  });
  const create = useMutation(
    trpc.networks.create.mutationOptions({
      onSuccess: (network) => {
        done(t('{name} added', { name: network.name }), trpc.networks.pathFilter());
        onAdded(network.id);
      },
    }),
  );
  return (
    <FormShell
      form={form}
      onSubmit={(input) => create.mutate(input)}
      error={create.error ? failureOf(create.error) : null}
      pending={create.isPending}
      submitLabel={t('Add network')}
      onCancel={onClose}
      layout="panel"
    >
      <ComboboxField control={form.control} name="cluster_id" label={t('Cluster')} options={clusters} />
      <TextField control={form.control} name="name" label={labels.name} />
      <NumberField control={form.control} name="vlan_tag" label={labels.vlan_tag} min={1} max={4094} optional />
      <TextareaField control={form.control} name="description" label={labels.description} rows={2} optional />
    </FormShell>
  );
}
