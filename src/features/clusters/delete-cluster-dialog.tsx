'use client';
import { useQuery } from '@tanstack/react-query';
import type { Cluster } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { DeleteDialog } from '../shared/delete-dialog';
import { countsText } from './cluster-labels';

type Props = { cluster: Pick<Cluster, 'id' | 'name'>; open: boolean; onClose: () => void; onDeleted: () => void };

/** Asks before a cluster goes, with what goes with it counted afresh, and its name typed. */
export function DeleteClusterDialog({ cluster, open, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const preview = useQuery({
    ...trpc.clusters.deletePreview.queryOptions({ id: cluster.id }),
    enabled: open,
    staleTime: 0,
    gcTime: 0,
  });
  const lost = preview.data ? countsText(t, preview.data) : null;
  return (
    <DeleteDialog
      open={open}
      title={t('Delete cluster {name}?', { name: cluster.name })}
      typed={cluster.name}
      confirmLabel={t('Delete cluster')}
      name={cluster.name}
      remove={() => client.clusters.delete.mutate({ id: cluster.id })}
      error={preview.error}
      outdated={[{}]}
      onClose={onClose}
      onDeleted={onDeleted}
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
    </DeleteDialog>
  );
}
