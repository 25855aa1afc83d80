'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Cluster } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Skeleton } from '@/ui/loading';
import { showToast } from '@/ui/toast';
import { countsText } from './cluster-labels';

type Props = { cluster: Pick<Cluster, 'id' | 'name'>; open: boolean; onClose: () => void; onDeleted: () => void };

/** Asks before a cluster goes, with what goes with it counted afresh, and its name typed. */
export function DeleteClusterDialog({ cluster, open, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const preview = useQuery({
    ...trpc.clusters.deletePreview.queryOptions({ id: cluster.id }),
    enabled: open,
    staleTime: 0,
    gcTime: 0,
  });
  const remove = useMutation(
    trpc.clusters.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: cluster.name }) });
        onDeleted();
        void queryClient.invalidateQueries();
      },
    }),
  );
  const lost = preview.data ? countsText(t, preview.data) : null;
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => {
        if (next) return;
        remove.reset();
        onClose();
      }}
      title={t('Delete cluster {name}?', { name: cluster.name })}
      typed={cluster.name}
      confirmLabel={t('Delete cluster')}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : preview.error ? failureOf(preview.error) : null}
      onConfirm={() => remove.mutate({ id: cluster.id })}
    >
      {preview.data ? (
        <p>
          {lost
            ? t.rich('{lost} will be removed from Fabric.', {
                lost: <strong className="text-text">{lost}</strong>,
              })
            : t('No other data is deleted.')}
        </p>
      ) : (
        !preview.error && <Skeleton className="h-4 w-64" />
      )}
      <p>{t('The cluster itself is not changed. Its workloads keep running, and its firewall rules stay.')}</p>
    </ConfirmDialog>
  );
}
