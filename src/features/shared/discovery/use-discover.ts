'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DiscoverAccepted } from '@/domain/ipam/discovery';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';

/** Starts the discovery of addresses: of some clusters, or of all. One that is under way is given back instead. */
export function useDiscover(onStarted: (started: DiscoverAccepted) => void) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.ipam.discover.mutationOptions({
      onSuccess: (started) => {
        void queryClient.invalidateQueries(trpc.syncRuns.pathFilter());
        onStarted(started);
      },
      onError: (error) => {
        const { title, detail } = toFailure(error);
        showToast('danger', {
          id: 'discover',
          title: t('Discovery not started'),
          description: detail ?? title,
        });
      },
    }),
  );
}
