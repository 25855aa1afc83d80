'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NetworkDetail } from '@/domain/inventory';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';

type Props = { network: NetworkDetail; open: boolean; onClose: () => void; onDeleted: () => void };

/** Asks before a network goes with its prefixes and addresses. */
export function DeleteNetworkDialog({ network, open, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const remove = useMutation(
    trpc.networks.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: network.name }) });
        onDeleted();
        void queryClient.invalidateQueries();
      },
    }),
  );
  const addresses = network.subnets.reduce((sum, subnet) => sum + subnet.addresses_total, 0);
  const lost = network.subnets.length > 0;
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => {
        if (next) return;
        remove.reset();
        onClose();
      }}
      title={t('Delete network {name}?', { name: network.name })}
      typed={lost ? network.name : undefined}
      confirmLabel={lost ? t('Delete network and its prefixes') : t('Delete network')}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate({ id: network.id, version: network.version })}
    >
      <p>
        {lost
          ? t(
              'Also deletes {prefixes, plural, one {# prefix} other {# prefixes}} and {addresses, plural, one {# address} other {# addresses}}, with their notes.',
              { prefixes: network.subnets.length, addresses },
            )
          : t('The network has no prefixes.')}
      </p>
      <p>
        {t(
          'Nothing changes on the cluster. Address discovery creates the network again if needed for discovered addresses.',
        )}
      </p>
    </ConfirmDialog>
  );
}
