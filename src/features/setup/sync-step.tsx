'use client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { useRun } from '../shared/sync/live-run';
import { RunPanel } from '../shared/sync/run-panel';
import { useStartSync } from '../shared/sync/use-start-sync';

type Props = { clusterId: string; onNext: () => void; onEdit: () => void };

/** Runs the first sync and shows it as it goes. A reload finds the run that is under way, or the last one. */
export function SyncStep({ clusterId, onNext, onEdit }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const cluster = useQuery(trpc.clusters.get.queryOptions({ id: clusterId }));
  const lastRuns = useQuery(trpc.syncRuns.list.queryOptions({ cluster_id: clusterId, kind: 'inventory', limit: 1 }));
  const [started, setStarted] = useState<string | null>(null);
  const sync = useStartSync({ onStarted: setStarted });
  const runId = started ?? cluster.data?.active_run?.id ?? lastRuns.data?.items[0]?.id ?? null;
  const run = useRun(runId);

  const begun = useRef(false);
  const begin = useEffectEvent(() => {
    if (begun.current) return;
    begun.current = true;
    sync.mutate({ id: clusterId });
  });
  const never = lastRuns.data?.items.length === 0 && cluster.data?.active_run === null;
  useEffect(() => {
    if (never) begin();
  }, [never]);

  const error = cluster.error ?? lastRuns.error ?? run.error;
  if (error) {
    const retry = () => void Promise.all([cluster.refetch(), lastRuns.refetch(), run.refetch()]);
    return <ErrorState problem={toFailure(error)} onRetry={retry} />;
  }
  const status = run.data?.status;
  const ended = status === 'ok' || status === 'failed';
  return (
    <>
      {run.data ? <RunPanel run={run.data} /> : <Skeleton className="h-40 w-full" />}
      <div className="flex flex-wrap justify-end gap-2">
        {status === 'failed' && (
          <>
            <Button onClick={onEdit}>{t('Edit connection')}</Button>
            <Button onClick={() => sync.mutate({ id: clusterId })} pending={sync.isPending}>
              {t('Try again')}
            </Button>
          </>
        )}
        {!run.data && sync.isError && (
          <Button onClick={() => sync.mutate({ id: clusterId })} pending={sync.isPending}>
            {t('Start sync')}
          </Button>
        )}
        <Button variant={status === 'ok' ? 'primary' : 'secondary'} onClick={onNext}>
          {ended ? t('Continue') : t('Continue while the sync runs')}
        </Button>
      </div>
    </>
  );
}
