'use client';
import { useQueryClient } from '@tanstack/react-query';
import type { Cluster } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { NewClusterForm } from '../shared/cluster-connection/new-cluster-form';

type Props = { open: boolean; onClose: () => void; onAdded: (cluster: Cluster) => void };

/** Adds a cluster by address and token. */
export function AddClusterDrawer({ open, onClose, onAdded }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return (
    <Drawer open={open} onOpenChange={(next) => !next && onClose()} size="lg" persistent title={t('Add cluster')}>
      <NewClusterForm
        onAdded={(cluster) => {
          void queryClient.invalidateQueries(trpc.clusters.pathFilter());
          onAdded(cluster);
        }}
        onCancel={onClose}
        layout="panel"
      />
    </Drawer>
  );
}
