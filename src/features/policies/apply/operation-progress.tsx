'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Deployment } from '@/domain/deployments';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { DeploymentPanel } from '../../shared/deployments/deployment-panel';

const isActive = (deployment: Deployment) => deployment.status === 'queued' || deployment.status === 'running';

/** All clusters of one apply or removal, as they go and as they ended. */
export function OperationProgress({ operationId }: { operationId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const live = useIsLive();
  const query = useQuery({
    ...trpc.deployments.list.queryOptions({ operation_id: operationId, limit: 200 }),
    refetchInterval: ({ state }) => (state.data && !state.data.items.some(isActive) ? false : live ? 3000 : 1000),
  });
  const queryClient = useQueryClient();
  const isEnded = query.data !== undefined && query.data.items.length > 0 && !query.data.items.some(isActive);
  useEffect(() => {
    if (!isEnded) return;
    // The guests were read again before it ended: every page that shows them refetches.
    for (const key of [trpc.policies.pathKey(), trpc.workloads.pathKey(), ['policy-preview']])
      void queryClient.invalidateQueries({ queryKey: key });
  }, [isEnded, queryClient, trpc]);
  if (!query.data) {
    return query.error ? (
      <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
    ) : (
      <Skeleton className="h-32 w-full" />
    );
  }
  const { items } = query.data;
  const good = items.every(({ status }) => status === 'ok');
  return (
    <div className="flex flex-col gap-4">
      {isEnded && (
        <Notice
          tone={good ? 'ok' : 'danger'}
          live
          title={good ? t('All workloads are in sync') : t('Some workloads could not be updated')}
        >
          {good ? null : t('Completed changes remain. See below what is missing, and retry the failed workloads.')}
        </Notice>
      )}
      {items.map((deployment) => (
        <DeploymentPanel key={deployment.id} deployment={deployment} heading={deployment.cluster_name} />
      ))}
    </div>
  );
}
