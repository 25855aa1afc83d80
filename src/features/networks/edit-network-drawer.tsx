'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import type { NetworkDetail } from '@/domain/inventory';
import { NetworkUpdate } from '@/domain/ipam/network';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { FormShell } from '@/ui/form/form-shell';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../shared/domain-resolver';
import { useEditBase } from '../shared/use-edit-base';
import { VersionConflict } from '../shared/version-conflict';
import { type NetworkValues, networkLabels, toNetworkUpdate, toNetworkValues } from './network-form-values';

type Props = { network: NetworkDetail; open: boolean; onClose: () => void };

/** Changes a network; of those that the cluster made only the description. */
export function EditNetworkDrawer({ network, open, onClose }: Props) {
  const t = useT();
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={t('Edit {name}', { name: network.name })}
      description={network.source === 'manual' ? undefined : t('Name and VLAN are decided by the cluster.')}
    >
      <Content opened={network} onClose={onClose} />
    </Drawer>
  );
}

function Content({ opened, onClose }: { opened: NetworkDetail; onClose: () => void }) {
  const t = useT();
  const labels = networkLabels(t);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const edit = useEditBase<NetworkDetail>(opened, () =>
    queryClient.fetchQuery({ ...trpc.networks.get.queryOptions({ id: opened.id }), staleTime: 0 }),
  );
  const form = useForm<NetworkValues, unknown, NetworkUpdate>({
    defaultValues: toNetworkValues(opened),
    resolver: domainResolver(NetworkUpdate, (values: NetworkValues) => toNetworkUpdate(values, edit.base)),
  });
  const save = useMutation(
    trpc.networks.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.networks.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.networks.pathFilter());
        showToast('ok', { title: t('{name} saved', { name: saved.name }) });
        onClose();
      },
      onError: edit.onError,
    }),
  );
  const values = { ...toNetworkValues(opened), ...useWatch({ control: form.control }) };
  const fixed = opened.source !== 'manual';
  return (
    <FormShell
      form={form}
      onSubmit={(changes) => save.mutate({ id: opened.id, ...changes })}
      error={save.error && !edit.conflict ? failureOf(save.error) : null}
      pending={save.isPending}
      submitLabel={t('Save network')}
      disabledReason={
        edit.conflict
          ? t('Choose a version first')
          : form.formState.isDirty || edit.base !== opened
            ? null
            : t('Nothing has changed')
      }
      onCancel={onClose}
      layout="panel"
    >
      {edit.conflict && (
        <VersionConflict
          labels={labels}
          mine={values}
          theirs={edit.conflict.theirs}
          pending={save.isPending}
          onTake={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            form.reset(toNetworkValues(theirs));
            edit.rebase(theirs);
            save.reset();
          }}
          onKeep={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            edit.rebase(theirs);
            save.mutate({ id: opened.id, ...toNetworkUpdate(values, theirs) });
          }}
        />
      )}
      <TextField control={form.control} name="name" label={labels.name} disabled={fixed} />
      <NumberField
        control={form.control}
        name="vlan_tag"
        label={labels.vlan_tag}
        min={1}
        max={4094}
        optional
        disabled={fixed}
      />
      <TextareaField control={form.control} name="description" label={labels.description} rows={2} optional />
    </FormShell>
  );
}
