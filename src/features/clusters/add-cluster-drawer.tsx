'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Cluster, ClusterInput } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { ConnectionForm } from '../shared/cluster-connection/connection-form';
import { EMPTY_CONNECTION, toClusterInput } from '../shared/cluster-connection/connection-values';

type Props = { open: boolean; onClose: () => void; onAdded: (cluster: Cluster) => void };

/** Adds a cluster by address and token. */
export function AddClusterDrawer({ open, onClose, onAdded }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const add = useMutation(
    trpc.clusters.create.mutationOptions({
      onSuccess: (cluster) => {
        void queryClient.invalidateQueries(trpc.clusters.pathFilter());
        onAdded(cluster);
      },
    }),
  );
  return (
    <Drawer open={open} onOpenChange={(next) => !next && onClose()} size="lg" persistent title={t('Add cluster')}>
      <ConnectionForm
        defaultValues={EMPTY_CONNECTION}
        schema={ClusterInput}
        toInput={toClusterInput}
        onSubmit={(input) => add.mutate(input)}
        error={add.error ? failureOf(add.error) : null}
        pending={add.isPending}
        submitLabel={t('Add cluster')}
        onCancel={onClose}
        layout="panel"
      />
    </Drawer>
  );
}
