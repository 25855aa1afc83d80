'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { AddressUpdate, type IpAddress } from '@/domain/ipam/ip-address';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { FormShell } from '@/ui/form/form-shell';
import { Notice } from '@/ui/notice';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../shared/domain-resolver';
import { useEditBase } from '../shared/use-edit-base';
import { VersionConflict } from '../shared/version-conflict';
import { AddressFields } from './address-fields';
import {
  type AddressValues,
  addressFieldName,
  addressLabels,
  addressWords,
  toAddressUpdate,
  toAddressValues,
} from './address-form-values';

type Props = { address: IpAddress | null; onClose: () => void };

/** Changes who has an address and what is noted about it. */
export function EditAddressDrawer({ address, onClose }: Props) {
  const t = useT();
  return (
    <Drawer
      open={address !== null}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={address ? t('Edit {name}', { name: address.address }) : t('Edit address')}
      description={
        address
          ? t('In {cidr}, network {network}', { cidr: address.subnet_cidr, network: address.network_name })
          : undefined
      }
    >
      {address && <Content key={address.id} opened={address} onClose={onClose} />}
    </Drawer>
  );
}

function Content({ opened, onClose }: { opened: IpAddress; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const edit = useEditBase<IpAddress>(opened, () =>
    queryClient.fetchQuery({ ...trpc.ipAddresses.get.queryOptions({ id: opened.id }), staleTime: 0 }),
  );
  const form = useForm<AddressValues, unknown, AddressUpdate>({
    defaultValues: toAddressValues(opened),
    resolver: domainResolver(
      AddressUpdate,
      (values: AddressValues) => toAddressUpdate(values, edit.base),
      addressFieldName,
    ),
  });
  const save = useMutation(
    trpc.ipAddresses.update.mutationOptions({
      onSuccess: (saved) => {
        void queryClient.invalidateQueries(trpc.ipAddresses.pathFilter());
        void queryClient.invalidateQueries(trpc.subnets.pathFilter());
        void queryClient.invalidateQueries(trpc.workloads.pathFilter());
        showToast('ok', { title: t('{name} saved', { name: saved.address }) });
        onClose();
      },
      onError: edit.onError,
    }),
  );
  const values = { ...toAddressValues(opened), ...useWatch({ control: form.control }) } as AddressValues;
  const found = edit.base.source !== 'manual';
  return (
    <FormShell
      form={form}
      onSubmit={(changes) => save.mutate({ id: opened.id, ...changes })}
      error={save.error && !edit.conflict ? failureOf(save.error) : null}
      pending={save.isPending}
      submitLabel={t('Save address')}
      disabledReason={
        edit.conflict
          ? t('Choose a version first')
          : form.formState.isDirty || edit.base !== opened
            ? null
            : t('Nothing has changed')
      }
      onCancel={onClose}
      layout="panel"
      fieldName={addressFieldName}
    >
      {edit.conflict && (
        <VersionConflict
          labels={addressLabels(t)}
          mine={addressWords(values)}
          theirs={edit.conflict.theirs && addressWords(toAddressValues(edit.conflict.theirs))}
          pending={save.isPending}
          onTake={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            form.reset(toAddressValues(theirs));
            edit.rebase(theirs);
            save.reset();
          }}
          onKeep={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            edit.rebase(theirs);
            save.mutate({ id: opened.id, ...toAddressUpdate(values, theirs) });
          }}
        />
      )}
      {edit.base.state === 'conflict' && (
        <Notice tone="warn" title={t('A conflict about this address is open')}>
          {t('Resolve it before you change state, workload or network card.')}
        </Notice>
      )}
      {found && (
        <p className="text-pretty text-muted">
          {t(
            'A discovery found this address. Once you change its state, workload or network card, discoveries leave those as you set them.',
          )}
        </p>
      )}
      <AddressFields control={form.control} setValue={form.setValue} clusterId={opened.cluster_id} />
    </FormShell>
  );
}
