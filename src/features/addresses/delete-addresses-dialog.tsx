'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { IpAddress } from '@/domain/ipam/ip-address';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';

type Props = {
  /** What goes; nothing keeps the dialog closed. */
  addresses: readonly Pick<IpAddress, 'id' | 'address' | 'version' | 'workload'>[];
  onClose: () => void;
  onDeleted: () => void;
};

/** Asks before deleting addresses: all of them or, if one was changed since, none. */
export function DeleteAddressesDialog({ addresses, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [first] = addresses;
  const n = addresses.length;
  const name = first?.address;
  const used = addresses.filter((item) => item.workload).length;
  const remove = useMutation(
    trpc.ipAddresses.bulkDelete.mutationOptions({
      onSuccess: () => {
        showToast('ok', {
          title:
            n === 1
              ? t('{name} deleted', { name })
              : t('{n, plural, one {# address} other {# addresses}} deleted', { n }),
        });
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
      title={
        n === 1 ? t('Delete {name}?', { name }) : t('Delete {n, plural, one {# address} other {# addresses}}?', { n })
      }
      confirmLabel={n === 1 ? t('Delete address') : t('Delete {n, plural, one {# address} other {# addresses}}', { n })}
      pending={remove.isPending}
      error={remove.error ? toFailure(remove.error) : null}
      onConfirm={() => remove.mutate({ items: addresses.map(({ id, version }) => ({ id, version })) })}
    >
      <p>
        {n === 1
          ? t('The address becomes free and its notes are lost. Its assignment history is kept.')
          : t('The addresses become free and their notes are lost. Their assignment history is kept.')}
      </p>
      {used > 0 && (
        <p>
          {used === 1 && n === 1
            ? t('{workload} keeps using this address. The next discovery that finds it adds the address again.', {
                workload: first?.workload?.name,
              })
            : t(
                '{n, number} of these addresses {n, plural, one {is} other {are}} assigned. Their workloads keep using them, and the next discovery that finds an address adds it again.',
                { n: used },
              )}
        </p>
      )}
    </ConfirmDialog>
  );
}
