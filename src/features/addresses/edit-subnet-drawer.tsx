'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm, useWatch } from 'react-hook-form';
import { type SubnetDetail, SubnetUpdate } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { FormShell } from '@/ui/form/form-shell';
import { showToast } from '@/ui/toast';
import { domainResolver } from '../shared/domain-resolver';
import { useEditBase } from '../shared/use-edit-base';
import { VersionConflict } from '../shared/version-conflict';
import { SubnetFields } from './subnet-fields';
import {
  type SubnetValues,
  subnetFieldName,
  subnetLabels,
  toSubnetInput,
  toSubnetUpdate,
  toSubnetValues,
} from './subnet-form-values';

type Editable = Parameters<typeof toSubnetUpdate>[1] & Pick<SubnetDetail, 'id' | 'source'>;
type Props = { subnet: Editable | null; onClose: () => void };

/** Changes a prefix and what is noted about it. */
export function EditSubnetDrawer({ subnet, onClose }: Props) {
  const t = useT();
  return (
    <Drawer
      open={subnet !== null}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={subnet ? t('Edit {name}', { name: subnet.cidr }) : t('Edit subnet')}
    >
      {subnet && <Content key={subnet.id} opened={subnet} onClose={onClose} />}
    </Drawer>
  );
}

function Content({ opened, onClose }: { opened: Editable; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const edit = useEditBase<Editable>(opened, () =>
    queryClient.fetchQuery({ ...trpc.subnets.get.queryOptions({ id: opened.id }), staleTime: 0 }),
  );
  const form = useForm<SubnetValues, unknown, SubnetUpdate>({
    defaultValues: toSubnetValues(opened),
    resolver: domainResolver(
      SubnetUpdate,
      (values: SubnetValues) => toSubnetUpdate(values, edit.base),
      subnetFieldName,
    ),
  });
  const save = useMutation(
    trpc.subnets.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.subnets.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.subnets.pathFilter());
        void queryClient.invalidateQueries(trpc.ipAddresses.pathFilter());
        void queryClient.invalidateQueries(trpc.networks.pathFilter());
        showToast('ok', { title: t('{name} saved', { name: saved.cidr }) });
        onClose();
      },
      onError: edit.onError,
    }),
  );
  const values = useWatch({ control: form.control });
  const { network_id: _, ...mine } = toSubnetInput({ ...toSubnetValues(opened), ...values, network: null });
  return (
    <FormShell
      form={form}
      onSubmit={(changes) => save.mutate({ id: opened.id, ...changes })}
      error={save.error && !edit.conflict ? failureOf(save.error) : null}
      pending={save.isPending}
      submitLabel={t('Save subnet')}
      disabledReason={
        edit.conflict
          ? t('Choose a version first')
          : form.formState.isDirty || edit.base !== opened
            ? null
            : t('Nothing has changed')
      }
      onCancel={onClose}
      layout="panel"
      fieldName={subnetFieldName}
    >
      {edit.conflict && (
        <VersionConflict
          labels={subnetLabels(t)}
          mine={mine}
          theirs={edit.conflict.theirs}
          pending={save.isPending}
          onTake={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            form.reset(toSubnetValues(theirs));
            edit.rebase(theirs);
            save.reset();
          }}
          onKeep={() => {
            const { theirs } = edit.conflict ?? {};
            if (!theirs) return;
            edit.rebase(theirs);
            save.mutate({ id: opened.id, ...mine, version: theirs.version });
          }}
        />
      )}
      <SubnetFields
        control={form.control}
        cidrNote={
          opened.source === 'provider' ? t('The cluster decides this prefix. Change it there, then sync.') : undefined
        }
      />
    </FormShell>
  );
}
