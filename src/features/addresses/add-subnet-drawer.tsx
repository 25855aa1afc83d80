'use client';
import { useMutation } from '@tanstack/react-query';
import { type SubnetDetail, SubnetInput } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { RemoteComboboxField } from '@/ui/form/remote-combobox-field';
import { useSaved } from '../shared/record-cache';
import { RecordForm } from '../shared/record-drawer';
import { useNetworkOptions } from '../shared/use-searched-options';
import { SubnetFields } from './subnet-fields';
import { EMPTY_SUBNET, type SubnetValues, subnetFieldName, toSubnetInput } from './subnet-form-values';

export type SubnetStart = { network?: { id: string; name: string }; cidr?: string };

type Props = {
  open: boolean;
  /** What is known already: the network, or a prefix to start from. */
  start?: SubnetStart;
  onClose: () => void;
  onAdded: (subnet: SubnetDetail) => void;
};

/** Adds a prefix to a network. */
export function AddSubnetDrawer({ open, start, onClose, onAdded }: Props) {
  const t = useT();
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={t('Add prefix')}
      description={t('Known addresses inside this prefix move to it.')}
    >
      <Content start={start} onClose={onClose} onAdded={onAdded} />
    </Drawer>
  );
}

/** Mounted with the drawer, so that it starts afresh each time. */
function Content({ start, onClose, onAdded }: Omit<Props, 'open'>) {
  const t = useT();
  const trpc = useTRPC();
  const done = useSaved();
  const networks = useNetworkOptions();
  const create = useMutation(
    trpc.subnets.create.mutationOptions({
      onSuccess: (subnet) => {
        done(t('{name} added', { name: subnet.cidr }), trpc.subnets.pathFilter(), trpc.networks.pathFilter());
        onAdded(subnet);
      },
    }),
  );
  const values: SubnetValues = {
    ...EMPTY_SUBNET,
    cidr: start?.cidr ?? '',
    network: start?.network ? { value: start.network.id, label: start.network.name } : null,
  };
  return (
    <RecordForm
      defaultValues={values}
      schema={SubnetInput}
      toInput={toSubnetInput}
      save={create}
      submitLabel={t('Add prefix')}
      fieldName={subnetFieldName}
      onClose={onClose}
    >
      {(control) => (
        <>
          <RemoteComboboxField
            control={control}
            name="network"
            label={t('Network')}
            placeholder={t('Enter a network name')}
            {...networks}
          />
          <SubnetFields control={control} />
        </>
      )}
    </RecordForm>
  );
}
