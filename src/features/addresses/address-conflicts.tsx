'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IpamConflict } from '@/domain/ipam/conflict';
import type { IpAddressDetail } from '@/domain/ipam/ip-address';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { usePermissions } from '../shared/use-permissions';
import { CONFLICT_KIND_LABELS, conflictText } from './conflict-labels';

const ResolveConflictDialog = loadOnOpening(() =>
  import('./resolve-conflict-dialog').then((module) => module.ResolveConflictDialog),
);

/** The open conflicts about one address, each with its way out. */
export function AddressConflicts({ address }: { address: Pick<IpAddressDetail, 'id' | 'conflict_ids'> }) {
  const t = useT();
  const trpc = useTRPC();
  const { reason } = usePermissions();
  const [resolving, setResolving] = useState<IpamConflict | null>(null);
  const query = useQuery({
    ...trpc.ipamConflicts.list.queryOptions({ ip_address_id: address.id, status: 'open', limit: 50 }),
    enabled: address.conflict_ids.length > 0,
  });
  return (
    <>
      {address.conflict_ids.length > 0 &&
        query.data?.items.map((conflict) => (
          <Notice
            key={conflict.id}
            tone="danger"
            title={t(CONFLICT_KIND_LABELS[conflict.kind])}
            action={
              <Button size="sm" onClick={() => setResolving(conflict)} disabledReason={reason('ipam:write')}>
                {t('Resolve')}
              </Button>
            }
          >
            {conflictText(t, conflict)}
          </Notice>
        ))}
      <ResolveConflictDialog conflict={resolving} onClose={() => setResolving(null)} />
    </>
  );
}
