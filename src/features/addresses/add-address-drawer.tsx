'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { AddressInput, AllocateAddressInput, type IpAddress } from '@/domain/ipam/ip-address';
import type { SubnetDetail } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { FormShell } from '@/ui/form/form-shell';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { showToast } from '@/ui/toast';
import { Mono } from '@/ui/values';
import { domainResolver, useCheckedForm } from '../shared/domain-resolver';
import { AddressFields } from './address-fields';
import {
  type AddressValues,
  addressFieldName,
  EMPTY_ADDRESS,
  toAddressInput,
  toAllocateInput,
} from './address-form-values';

type Subnet = Pick<SubnetDetail, 'id' | 'cidr' | 'network_id' | 'network_name' | 'cluster_id'>;

/** Which address: a given one, one to be typed (empty), or the next free one. */
export type AddressStart = { kind: 'given'; address: string } | { kind: 'next' };

type Props = { subnet: Subnet; start: AddressStart | null; onClose: () => void; onAdded?: (added: IpAddress) => void };

/** Assigns an address of a subnet. */
export function AddAddressDrawer({ subnet, start, onClose, onAdded }: Props) {
  const t = useT();
  return (
    <Drawer
      open={start !== null}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={
        start?.kind === 'next'
          ? t('Allocate next free address')
          : start?.address
            ? t('Assign {address}', { address: start.address })
            : t('Add address')
      }
      description={t('In {cidr}, network {network}', { cidr: subnet.cidr, network: subnet.network_name })}
    >
      {start?.kind === 'next' && <NextContent subnet={subnet} onClose={onClose} onAdded={onAdded} />}
      {start?.kind === 'given' && (
        <GivenContent subnet={subnet} address={start.address} onClose={onClose} onAdded={onAdded} />
      )}
    </Drawer>
  );
}

type ContentProps = Pick<Props, 'subnet' | 'onClose' | 'onAdded'>;

function useAdded({ onClose, onAdded }: Pick<Props, 'onClose' | 'onAdded'>) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return (added: IpAddress) => {
    void queryClient.invalidateQueries(trpc.subnets.pathFilter());
    void queryClient.invalidateQueries(trpc.ipAddresses.pathFilter());
    showToast('ok', {
      title: added.workload
        ? t('{address} assigned to {workload}', { address: added.address, workload: added.workload.name })
        : t('{name} added', { name: added.address }),
    });
    onClose();
    onAdded?.(added);
  };
}

function GivenContent({ subnet, address, onClose, onAdded }: ContentProps & { address: string }) {
  const t = useT();
  const trpc = useTRPC();
  const form = useCheckedForm<AddressValues, unknown, AddressInput>({
    defaultValues: {
      ...EMPTY_ADDRESS,
      address,
      network: { value: subnet.network_id, label: subnet.network_name },
    },
    resolver: domainResolver(AddressInput, toAddressInput, addressFieldName),
  });
  const create = useMutation(trpc.ipAddresses.create.mutationOptions({ onSuccess: useAdded({ onClose, onAdded }) }));
  return (
    <FormShell
      form={form}
      onSubmit={(input) => create.mutate(input)}
      error={create.error ? toFailure(create.error) : null}
      pending={create.isPending}
      submitLabel={address ? t('Assign {address}', { address }) : t('Add address')}
      onCancel={onClose}
      layout="panel"
      fieldName={addressFieldName}
    >
      {address === '' && (
        <TextField control={form.control} name="address" label={t('Address')} placeholder="10.0.0.5" mono autoFocus />
      )}
      <AddressFields control={form.control} setValue={form.setValue} clusterId={subnet.cluster_id} />
    </FormShell>
  );
}

function NextContent({ subnet, onClose, onAdded }: ContentProps) {
  const t = useT();
  const trpc = useTRPC();
  const next = useQuery({
    ...trpc.subnets.nextAddresses.queryOptions({ id: subnet.id, count: 1 }),
    staleTime: 0,
    retry: false,
  });
  const form = useCheckedForm<AddressValues, unknown, AllocateAddressInput>({
    defaultValues: { ...EMPTY_ADDRESS, state: 'reserved' },
    resolver: domainResolver(AllocateAddressInput, toAllocateInput, addressFieldName),
  });
  const take = useMutation(trpc.subnets.allocateAddress.mutationOptions({ onSuccess: useAdded({ onClose, onAdded }) }));
  const failure = take.error ? toFailure(take.error) : next.error ? toFailure(next.error) : null;
  const address = next.data?.addresses[0];
  const full = next.data !== undefined && address === undefined;
  return (
    <FormShell
      form={form}
      onSubmit={(input) => take.mutate({ id: subnet.id, ...input })}
      error={failure}
      pending={take.isPending}
      submitLabel={address ? t('Allocate {address}', { address }) : t('Allocate next free address')}
      disabledReason={full ? t('No free address in this prefix') : null}
      onCancel={onClose}
      layout="panel"
      fieldName={addressFieldName}
    >
      {full ? (
        <Notice tone="warn" title={t('{cidr} has no free addresses', { cidr: subnet.cidr })} live>
          {t('Ranges and reservations count as used. Release unused addresses, or use a larger prefix.')}
        </Notice>
      ) : (
        <p aria-live="polite">
          {address
            ? t.rich(
                'Next free address: <strong>{address}</strong>. If another user allocates it first, you get the next one.',
                {
                  address,
                  strong: (inside) => <Mono className="font-semibold">{inside}</Mono>,
                },
              )
            : t('Finding next free address…')}
        </p>
      )}
      <AddressFields control={form.control} setValue={form.setValue} clusterId={subnet.cluster_id} />
    </FormShell>
  );
}
