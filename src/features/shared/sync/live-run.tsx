'use client';
import { useQuery } from '@tanstack/react-query';
import { useIsLive } from '@/lib/live-updates';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { RunPanel } from './run-panel';

/** A run by its id, as it goes. */
export function LiveRun({ runId }: { runId: string }) {
  const run = useRun(runId);
  if (run.data) return <RunPanel run={run.data} />;
  if (run.error) return <ErrorState problem={toFailure(run.error)} onRetry={() => void run.refetch()} />;
  return <Skeleton className="h-40 w-full" />;
}

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
