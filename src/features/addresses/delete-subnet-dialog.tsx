'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatCount } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Skeleton } from '@/ui/skeleton';
import { showToast } from '@/ui/toast';

type Props = { subnet: { id: string; cidr: string } | null; onClose: () => void; onDeleted: () => void };

/** Asks before a prefix goes, and tells where its addresses go. */
export function DeleteSubnetDialog({ subnet, onClose, onDeleted }: Props) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const query = useQuery({
    ...trpc.subnets.get.queryOptions({ id: subnet?.id ?? '' }),
    enabled: subnet !== null,
    staleTime: 0,
  });
  const remove = useMutation(
    trpc.subnets.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: `${subnet?.cidr} deleted` });
        onDeleted();
        void queryClient.invalidateQueries(trpc.subnets.pathFilter());
        void queryClient.invalidateQueries(trpc.ipAddresses.pathFilter());
        void queryClient.invalidateQueries(trpc.networks.pathFilter());
      },
    }),
  );
  const detail = query.data;
  const parent = detail?.ancestors.at(-1);
  const addresses = detail ? detail.usage.used + detail.usage.stale : 0;
  const lost = parent === undefined && addresses > 0;
  const count = `${formatCount(addresses)} ${addresses === 1 ? 'address' : 'addresses'}`;
  return (
    <ConfirmDialog
      open={subnet !== null}
      onOpenChange={(next) => {
        if (next) return;
        remove.reset();
        onClose();
      }}
      title={`Delete ${subnet?.cidr ?? 'subnet'}?`}
      typed={lost ? subnet?.cidr : undefined}
      confirmLabel={lost ? `Delete subnet and its addresses` : 'Delete subnet'}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : query.error ? failureOf(query.error) : null}
      onConfirm={() =>
        detail && remove.mutate({ id: detail.id, version: detail.version, ...(lost && { with_addresses: true }) })
      }
    >
      {detail ? (
        <>
          <p>
            {addresses === 0
              ? 'No addresses are known in it.'
              : parent
                ? `Its addresses move to ${parent.cidr}, the prefix around it.`
                : `It has no prefix around it: up to ${count} in it will be removed from this service, with their notes and history. Prefixes inside it keep theirs.`}
          </p>
          {detail.ranges_total > 0 && (
            <p>
              {formatCount(detail.ranges_total)} {detail.ranges_total === 1 ? 'range' : 'ranges'} of it will be deleted.
            </p>
          )}
          <p>Nothing changes on the cluster. A discovery makes prefixes again in which it sees addresses.</p>
        </>
      ) : (
        !query.error && <Skeleton className="h-4 w-64" />
      )}
    </ConfirmDialog>
  );
}
