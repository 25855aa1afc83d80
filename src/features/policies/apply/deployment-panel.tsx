'use client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import type { Deployment, DeploymentGuest } from '@/domain/deployments';
import { formatCount, formatDuration } from '@/lib/format';
import { useIsLive } from '@/lib/live-updates';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Progress } from '@/ui/progress';
import { RelativeTime } from '@/ui/relative-time';
import { Skeleton } from '@/ui/skeleton';
import { Status } from '@/ui/status';
import { showToast } from '@/ui/toast';
import { WorkloadLink } from '../../shared/inventory-links';
import { usePermissions } from '../../shared/use-permissions';
import { DEPLOYMENT_RUN_WORDS, GUEST_RESULT_WORDS } from '../deployment-run-words';
import { ProblemList } from './problem-list';

type Props = { deployment: Deployment; heading: string; onRetried?: (operationId: string) => void };

/** One apply or removal on one cluster: how far it is, and what became of each guest. */
export function DeploymentPanel({ deployment, heading, onRetried }: Props) {
  const active = deployment.status === 'queued' || deployment.status === 'running';
  const { tone, word } = DEPLOYMENT_RUN_WORDS[deployment.status];
  const failed = (deployment.guests.failed ?? 0) + (deployment.guests.partial ?? 0);
  return (
    <section aria-label={heading} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">{heading}</h3>
        <Status tone={tone} pulse={deployment.status === 'running'}>
          {word}
        </Status>
        <span className="text-muted">
          <Timing deployment={deployment} />
        </span>
        {!active && failed + Number(deployment.status === 'failed') > 0 && (
          <span className="ml-auto">
            <RetryButton deployment={deployment} failed={failed} onRetried={onRetried} />
          </span>
        )}
      </div>
      {active && (
        <Progress
          label="Guests"
          done={deployment.progress_total === null ? null : deployment.progress_done}
          total={deployment.progress_total}
        />
      )}
      {deployment.status === 'queued' && (
        <p className="text-muted">Waiting for a worker. If it stays like this, look at the jobs page.</p>
      )}
      <ProblemList problems={deployment.problems} />
      <Guests deployment={deployment} active={active} />
    </section>
  );
}

function Timing({ deployment }: { deployment: Deployment }) {
  const { started_at: start, finished_at: end } = deployment;
  if (!end || !start) return <RelativeTime at={start ?? deployment.created_at} />;
  return (
    <>
      <RelativeTime at={end} />, took {formatDuration(Date.parse(end) - Date.parse(start))}
      {deployment.writes > 0 && `, ${formatCount(deployment.writes)} ${deployment.writes === 1 ? 'write' : 'writes'}`}
    </>
  );
}

/** Guests of a deployment; those with problems are listed first. */
function Guests({ deployment, active }: { deployment: Deployment; active: boolean }) {
  const trpc = useTRPC();
  const live = useIsLive();
  const query = useQuery({
    ...trpc.deployments.guests.queryOptions({ id: deployment.id, limit: 500 }),
    refetchInterval: active ? (live ? 3000 : 1000) : false,
    placeholderData: keepPreviousData,
  });
  if (!query.data) return query.isPending ? <Skeleton className="h-16 w-full" /> : null;
  const rank = (guest: DeploymentGuest) => (guest.problems.length > 0 || guest.status === 'failed' ? 0 : 1);
  const guests = query.data.items.toSorted((a, b) => rank(a) - rank(b) || a.vmid - b.vmid);
  if (guests.length === 0) return active ? null : <p className="text-muted">No guest was concerned.</p>;
  return (
    <>
      <ul
        aria-label={`Results on ${deployment.cluster_name}`}
        className="max-h-80 divide-y overflow-y-auto rounded-md border bg-surface"
      >
        {guests.map((guest) => (
          <li key={guest.id} className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5">
            <span className="min-w-40">
              <WorkloadLink id={guest.workload_id} name={guest.name} />{' '}
              <span className="mono text-muted">{guest.vmid}</span>
            </span>
            <Status tone={GUEST_RESULT_WORDS[guest.status].tone} pulse={guest.status === 'running'}>
              {GUEST_RESULT_WORDS[guest.status].word}
            </Status>
            <span className="text-muted">{changesText(guest)}</span>
            {guest.problems.length > 0 && (
              <div className="basis-full">
                <ProblemList problems={guest.problems} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {query.data.total > guests.length && (
        <p className="text-sm text-muted">
          The first {formatCount(guests.length)} of {formatCount(query.data.total)} guests.
        </p>
      )}
    </>
  );
}

function changesText({ changes, writes }: DeploymentGuest): string {
  const parts = changes
    ? (['added', 'removed', 'moved', 'kept'] as const)
        .filter((key) => changes[key] > 0)
        .map((key) => `${formatCount(changes[key])} ${key}`)
    : [];
  if (writes > 0) parts.push(`${formatCount(writes)} ${writes === 1 ? 'write' : 'writes'}`);
  return parts.join(', ');
}

function RetryButton({
  deployment,
  failed,
  onRetried,
}: {
  deployment: Deployment;
  failed: number;
  onRetried?: (operationId: string) => void;
}) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const retry = useMutation(
    trpc.deployments.retry.mutationOptions({
      onSuccess: (result) => {
        void queryClient.invalidateQueries(trpc.deployments.pathFilter());
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        showToast('info', { title: 'Retry started' });
        if (result.operation_id) onRetried?.(result.operation_id);
      },
      onError: (error) => {
        const { title, detail } = failureOf(error);
        showToast('danger', { title: 'The retry was not started', description: detail ?? title });
      },
    }),
  );
  return (
    <Button
      size="sm"
      icon={<RotateCw size={14} />}
      pending={retry.isPending}
      disabledReason={reason('policy:apply')}
      onClick={() => retry.mutate({ id: deployment.id })}
    >
      {failed === 0
        ? 'Try again'
        : failed === 1
          ? 'Retry 1 failed guest'
          : `Retry ${formatCount(failed)} failed guests`}
    </Button>
  );
}
