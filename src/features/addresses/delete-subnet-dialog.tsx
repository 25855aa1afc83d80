'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { DeleteDialog } from '../shared/delete-dialog';

type Props = { subnet: { id: string; cidr: string } | null; onClose: () => void; onDeleted: () => void };

/** Asks before deleting a prefix, and shows where its addresses move. */
export function DeleteSubnetDialog({ subnet, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = useQuery({
    ...trpc.subnets.get.queryOptions({ id: subnet?.id ?? '' }),
    enabled: subnet !== null,
    staleTime: 0,
  });
  const detail = query.data;
  const parent = detail?.ancestors.at(-1);
  const addresses = detail ? detail.usage.used + detail.usage.stale : 0;
  const lost = parent === undefined && addresses > 0;
  return (
    <DeleteDialog
      open={subnet !== null}
      title={subnet ? t('Delete {name}?', { name: subnet.cidr }) : t('Delete prefix?')}
      typed={lost ? subnet?.cidr : undefined}
      confirmLabel={lost ? t('Delete prefix and its addresses') : t('Delete prefix')}
      name={subnet?.cidr ?? ''}
      remove={
        detail
          ? () =>
              client.subnets.delete.mutate({
                id: detail.id,
                version: detail.version,
                ...(lost && { with_addresses: 'true' }),
              })
          : null
      }
      error={query.error}
      outdated={[trpc.subnets.pathFilter(), trpc.ipAddresses.pathFilter(), trpc.networks.pathFilter()]}
      onClose={onClose}
      onDeleted={onDeleted}
    >
      {detail ? (
        <>
          <p>
            {addresses === 0
              ? t('No addresses are known in this prefix.')
              : parent
                ? t('Its addresses move to the parent prefix {cidr}.', { cidr: parent.cidr })
                : t(
                    'This prefix has no parent. Up to {n, plural, one {# address} other {# addresses}} in it will be removed from Fabric, with notes and history. Child prefixes keep their addresses.',
                    { n: addresses },
                  )}
          </p>
          {detail.ranges_total > 0 && (
            <p>
              {t('{n, plural, one {# range} other {# ranges}} in this prefix will be deleted.', {
                n: detail.ranges_total,
              })}
            </p>
          )}
          <p>{t('Nothing changes on the cluster. Discovery creates prefixes again if it finds addresses in them.')}</p>
        </>
      ) : (
        !query.error && <Skeleton className="h-4 w-64" />
      )}
    </DeleteDialog>
  );
}
