'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { IpAddress } from '@/domain/ipam/ip-address';
import { formatCount } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';

type Props = {
  /** What goes; nothing keeps the dialog closed. */
  addresses: readonly Pick<IpAddress, 'id' | 'address' | 'version' | 'workload'>[];
  onClose: () => void;
  onDeleted: () => void;
};

/** Asks before addresses go: all of them or, when one was changed meanwhile, none. */
export function DeleteAddressesDialog({ addresses, onClose, onDeleted }: Props) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [first] = addresses;
  const name = addresses.length === 1 ? (first?.address ?? '') : `${formatCount(addresses.length)} addresses`;
  const used = addresses.filter((item) => item.workload).length;
  const remove = useMutation(
    trpc.ipAddresses.bulkDelete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: `${name} deleted` });
        onDeleted();
        void queryClient.invalidateQueries(trpc.ipAddresses.pathFilter());
        void queryClient.invalidateQueries(trpc.subnets.pathFilter());
      },
    }),
  );
  return (
    <ConfirmDialog
      open={addresses.length > 0}
      onOpenChange={(next) => {
        if (next) return;
        remove.reset();
        onClose();
      }}
      title={`Delete ${name}?`}
      confirmLabel={addresses.length === 1 ? 'Delete address' : `Delete ${name}`}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate({ items: addresses.map(({ id, version }) => ({ id, version })) })}
    >
      <p>
        {addresses.length === 1
          ? 'It becomes free, and its notes are lost.'
          : 'They become free, and their notes are lost.'}{' '}
        Who had {addresses.length === 1 ? 'it' : 'them'} stays in the history.
      </p>
      {used > 0 && (
        <p>
          {used === 1 && addresses.length === 1
            ? `${first?.workload?.name} keeps it`
            : `${formatCount(used)} of them are assigned; those workloads keep them`}{' '}
          in reality: the next discovery that sees an address brings it back.
        </p>
      )}
    </ConfirmDialog>
  );
}
