'use client';
import { useQuery } from '@tanstack/react-query';
import { useIsLive } from '@/lib/live-updates';
import { useTRPC } from '@/lib/trpc';

/** One run, kept up to date: by events while they arrive, else by asking. */
export function useRun(runId: string | null) {
  const trpc = useTRPC();
  const live = useIsLive();
  return useQuery({
    ...trpc.syncRuns.get.queryOptions({ id: runId ?? '' }),
    enabled: runId !== null,
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      return status === 'ok' || status === 'failed' ? false : live ? 5000 : 1000;
    },
  });
}
