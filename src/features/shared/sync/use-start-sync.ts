'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';

/** Starts a sync of a cluster, or returns the waiting or running one. Failures to start show a toast. */
export function useStartSync({ onStarted }: { onStarted?: (runId: string, clusterId: string) => void } = {}) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.clusters.sync.mutationOptions({
      onSuccess: ({ run_id }, { id }) => {
        void queryClient.invalidateQueries(trpc.clusters.pathFilter());
        void queryClient.invalidateQueries(trpc.syncRuns.pathFilter());
        onStarted?.(run_id, id);
      },
      onError: (error) => {
        const { title, detail } = toFailure(error);
        showToast('danger', { id: 'start-sync', title: t('Sync not started'), description: detail ?? title });
      },
    }),
  );
}
