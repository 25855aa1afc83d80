'use client';
import { useState } from 'react';
import type { NetworkDetail } from '@/domain/inventory';
import { useT } from '@/lib/i18n/use-t';
import { useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../shared/delete-dialog';

type Props = { network: NetworkDetail; onClose: () => void; onDeleted: () => void };

/** Asks before a network goes with its prefixes and addresses. Mount it when it opens. */
export function DeleteNetworkDialog({ network, onClose, onDeleted }: Props) {
  const t = useT();
  const client = useTRPCClient();
  const [version] = useState(network.version);
  const addresses = network.subnets.reduce((sum, subnet) => sum + subnet.addresses_total, 0);
  const lost = network.subnets.length > 0;
  return (
    <DeleteDialog
      title={t('Delete network {name}?', { name: network.name })}
      typed={lost ? network.name : undefined}
      confirmLabel={lost ? t('Delete network and its prefixes') : t('Delete network')}
      name={network.name}
      remove={() => client.networks.delete.mutate({ id: network.id, version })}
      outdated={[{}]}
      onClose={onClose}
      onDeleted={onDeleted}
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
    </DeleteDialog>
  );
}
