'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { RelativeTime } from '@/ui/values';
import { RunState } from '../shared/sync/sync-state';
import { usePermissions } from '../shared/use-permissions';

/** When addresses were discovered last and how that went, for those who may see runs. */
export function LastDiscovery() {
  const t = useT();
  const trpc = useTRPC();
  const live = useIsLive();
  const { can } = usePermissions();
  const { data, isPending: isWaiting } = useQuery({
    ...trpc.syncRuns.list.queryOptions({ kind: 'ipam', sort: '-created_at', limit: 1 }),
    enabled: can('cluster:read'),
    refetchInterval: live ? false : 10_000,
  });
  const isPending = isWaiting && can('cluster:read');
  const run = data?.items[0];
  // As high as the text.
  if (isPending) return <Skeleton className="h-5 w-80 max-w-full max-md:h-10" />;
  if (!data) return null;
  if (!run) return <>{t('Discovery has not run yet.')}</>;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {t('Last discovery:')}
      <Link className="link" href={paths.jobs({ kind: 'ipam', run: run.id })}>
        {run.cluster_name}, <RelativeTime at={run.finished_at ?? run.started_at ?? run.created_at} />
      </Link>
      <RunState run={run} />
    </span>
  );
}
