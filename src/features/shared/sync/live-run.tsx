'use client';
import { failureOf } from '@/lib/problem';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/skeleton';
import { RunPanel } from './run-panel';
import { useRun } from './use-run';

/** A run by its id, as it goes. */
export function LiveRun({ runId }: { runId: string }) {
  const run = useRun(runId);
  if (run.data) return <RunPanel run={run.data} />;
  if (run.error) return <ErrorState problem={failureOf(run.error)} onRetry={() => void run.refetch()} />;
  return <Skeleton className="h-40 w-full" />;
}
