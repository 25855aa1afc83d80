'use client';
import { useQueryClient } from '@tanstack/react-query';
import { type SubnetDetail, SubnetUpdate } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { useReadAgain, useSaved } from '../shared/record-cache';
import { VersionedForm } from '../shared/versioned-form';
import { SubnetFields } from './subnet-fields';
import { subnetFieldName, subnetLabels, toSubnetInput, toSubnetUpdate, toSubnetValues } from './subnet-form-values';

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
      title={subnet ? t('Edit {name}', { name: subnet.cidr }) : t('Edit prefix')}
    >
      {subnet && <Content key={subnet.id} opened={subnet} onClose={onClose} />}
    </Drawer>
  );
}

function Content({ opened, onClose }: { opened: Editable; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const done = useSaved(onClose);
  return (
    <VersionedForm
      opened={opened}
      read={(): Promise<Editable> => readAgain(trpc.subnets.get.queryOptions({ id: opened.id }))}
      schema={SubnetUpdate}
      toValues={toSubnetValues}
      toInput={toSubnetUpdate}
      fieldName={subnetFieldName}
      save={(changes) => client.subnets.update.mutate({ id: opened.id, ...changes })}
      onSaved={(saved) => {
        queryClient.setQueryData(trpc.subnets.get.queryKey({ id: saved.id }), saved);
        done(
          t('{name} saved', { name: saved.cidr }),
          trpc.subnets.pathFilter(),
          trpc.ipAddresses.pathFilter(),
          trpc.networks.pathFilter(),
        );
      }}
      submitLabel={t('Save prefix')}
      compare={{ labels: subnetLabels(t), words: toSubnetInput }}
      onClose={onClose}
    >
      {({ control }) => (
        <SubnetFields
          control={control}
          cidrNote={
            opened.source === 'provider'
              ? t('The cluster defines this prefix. Change it there, then run a sync.')
              : undefined
          }
        />
      )}
    </VersionedForm>
  );
}
