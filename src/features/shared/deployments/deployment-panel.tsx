'use client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Deployment, DeploymentGuest, DeploymentProblem } from '@/domain/deployments';
import { formatDuration } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Progress } from '@/ui/progress';
import { Status } from '@/ui/status';
import { showToast } from '@/ui/toast';
import { RelativeTime } from '@/ui/values';
import { DEPLOYMENT_RUN_LABELS, GUEST_RESULT_LABELS } from '../deployment-run-labels';
import { WorkloadLink } from '../entity-links';
import { usePermissions } from '../use-permissions';
import { CHANGE_COUNTS, noteText, optionName, optionValue } from './guest-change-labels';
import { ChangedRules, DormantList, SwitchList } from './guest-changes';

type Props = {
  deployment: Deployment;
  heading: string;
  /** Leads to it; null: it is what the page is about. */
  href?: string | null;
  onRetried?: (operationId: string) => void;
  /** A change that is under way tries again as a whole. */
  isRetriable?: boolean;
  /** Lists workloads without problems when someone asks for them: the page has many. */
  isFolded?: boolean;
};

/** Of more workloads than these, those with problems are listed first. */
export const MAX_LISTED = 200;

/** One apply or removal on one cluster: how far it is, and what became of each guest. */
export function DeploymentPanel({
  deployment,
  heading,
  href = null,
  onRetried,
  isRetriable = true,
  isFolded = false,
}: Props) {
  const t = useT();
  const [isOpen, setIsOpen] = useState(false);
  const active = deployment.status === 'queued' || deployment.status === 'running';
  const { tone, word } = DEPLOYMENT_RUN_LABELS[deployment.status];
  const failed = (deployment.guests.failed ?? 0) + (deployment.guests.partial ?? 0);
  const n = Object.values(deployment.guests).reduce((sum, count) => sum + count, 0);
  const isLong = !isOpen && !active && n > MAX_LISTED;
  const worst = isLong ? WORST.find((status) => (deployment.guests[status] ?? 0) > 0) : undefined;
  const isListed = isOpen || !isFolded || worst !== undefined;
  const query = useGuests(deployment, active, isListed, worst);
  // A retry writes whatever is required by then; what was never shown goes through a preview first.
  const isChanged = query.data?.items.some(changedSincePreview) ?? deployment.from_preview;
  return (
    <section aria-label={heading} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">
          {href === null ? (
            heading
          ) : (
            <Link className="link" href={href}>
              {heading}
            </Link>
          )}
        </h3>
        <Status tone={tone} pulse={deployment.status === 'running'}>
          {t(word)}
        </Status>
        <span className="text-muted">
          <Timing deployment={deployment} />
        </span>
        {isRetriable && !active && !isChanged && failed + Number(deployment.status === 'failed') > 0 && (
          <span className="ml-auto">
            <RetryButton deployment={deployment} failed={failed} onRetried={onRetried} />
          </span>
        )}
      </div>
      {active && (
        <Progress
          label={t('Workloads')}
          done={deployment.progress_total === null ? null : deployment.progress_done}
          total={deployment.progress_total}
        />
      )}
      {deployment.status === 'queued' && (
        <p className="text-muted">{t('Waiting for a worker. If this does not change, check the Jobs page.')}</p>
      )}
      {/* Problems of guests are shown with the guests. */}
      <ProblemList problems={deployment.problems.filter(({ guests }) => guests === undefined)} />
      {isRetriable && !active && query.data?.items.some(changedSincePreview) && (
        <p>{t('Workloads that changed since the preview were skipped. Preview the policy again, then apply it.')}</p>
      )}
      {isListed && <Guests deployment={deployment} query={query} active={active} />}
      {!isOpen && (!isListed || worst) && (
        <Button size="sm" className="self-start" onClick={() => setIsOpen(true)}>
          {t('Show {n, plural, one {# workload} other {# workloads}}', { n })}
        </Button>
      )}
    </section>
  );
}

function Timing({ deployment }: { deployment: Deployment }) {
  const t = useT();
  const { started_at: start, finished_at: end, writes: n } = deployment;
  if (!end || !start) return <RelativeTime at={start ?? deployment.created_at} />;
  const values = { at: <RelativeTime at={end} />, duration: formatDuration(Date.parse(end) - Date.parse(start)) };
  return n > 0
    ? t.rich('{at}, took {duration}, {n, plural, one {# write} other {# writes}}', { ...values, n })
    : t.rich('{at}, took {duration}', values);
}

const changedSincePreview = ({ problems }: DeploymentGuest) =>
  problems.some(({ code }) => code === 'changed_since_preview');

const WORST = ['failed', 'partial'] as const;

function useGuests(deployment: Deployment, active: boolean, enabled: boolean, status?: (typeof WORST)[number]) {
  const trpc = useTRPC();
  const live = useIsLive();
  return useQuery({
    ...trpc.deployments.guests.queryOptions({ id: deployment.id, status, limit: 500 }),
    enabled,
    refetchInterval: active ? (live ? 3000 : 1000) : false,
    placeholderData: keepPreviousData,
  });
}

type GuestsProps = { deployment: Deployment; query: ReturnType<typeof useGuests>; active: boolean };

/** Guests of a deployment; those with problems are listed first. */
function Guests({ deployment, query, active }: GuestsProps) {
  const t = useT();
  if (!query.data) return query.isPending ? <Skeleton className="h-16 w-full" /> : null;
  const rank = (guest: DeploymentGuest) => (guest.problems.length > 0 || guest.status === 'failed' ? 0 : 1);
  const guests = query.data.items.toSorted((a, b) => rank(a) - rank(b) || a.vmid - b.vmid);
  if (guests.length === 0) return active ? null : <p className="text-muted">{t('No workloads were affected.')}</p>;
  return (
    <>
      <ul
        aria-label={t('Results on {cluster}', { cluster: deployment.cluster_name })}
        className="max-h-80 divide-y overflow-y-auto rounded-md border bg-surface"
      >
        {guests.map((guest) => (
          <li key={guest.id} className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5">
            <span className="min-w-40">
              <WorkloadLink id={guest.workload_id} name={guest.name} />{' '}
              <span className="mono text-muted">{guest.vmid}</span>
            </span>
            <Status tone={GUEST_RESULT_LABELS[guest.status].tone} pulse={guest.status === 'running'}>
              {t(GUEST_RESULT_LABELS[guest.status].word)}
            </Status>
            <span className="text-muted">{changesText(t, guest)}</span>
            {guest.notes.map((note) => {
              const { message, remedy } = noteText(t, note);
              return (
                <span key={note.code} className="basis-full text-muted">
                  {message} {remedy}
                </span>
              );
            })}
            {guest.problems.length > 0 && (
              <div className="basis-full">
                <ProblemList problems={guest.problems} />
              </div>
            )}
            <GuestDetails guest={guest} />
          </li>
        ))}
      </ul>
      {query.data.total > guests.length && (
        <p className="text-sm text-muted">
          {t('The first {shown, number} of {total, number} workloads.', {
            shown: guests.length,
            total: query.data.total,
          })}
        </p>
      )}
    </>
  );
}

/** What took effect at the guest with its switches, or what would be written instead of what the preview showed. */
function GuestDetails({ guest }: { guest: DeploymentGuest }) {
  const t = useT();
  const { name, dormant, difference } = guest;
  if (difference === null && (dormant ?? []).length === 0) return null;
  return (
    <details className="basis-full">
      <summary className="link w-fit">
        {difference ? t('Current difference') : t('Stored items that took effect')}
      </summary>
      <div className="flex flex-col gap-2 py-1">
        {difference ? (
          <>
            <SwitchList name={name} options={difference.option_changes} />
            <DormantList name={name} items={difference.dormant} />
            {difference.changes && <ChangedRules name={name} changes={difference.changes} />}
          </>
        ) : (
          <DormantList name={name} items={dormant} />
        )}
      </div>
    </details>
  );
}

function changesText(t: Translate, { changes, switches, writes }: DeploymentGuest): string {
  const parts = changes
    ? (['added', 'removed', 'moved', 'kept'] as const)
        .filter((key) => changes[key] > 0)
        .map((key) => t(CHANGE_COUNTS[key], { n: changes[key] }))
    : [];
  for (const option of switches) {
    parts.push(t('{name}: {value}', { name: optionName(t, option), value: optionValue(t, option, option.after) }));
  }
  if (writes > 0) parts.push(t('{n, plural, one {# write} other {# writes}}', { n: writes }));
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
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const retry = useMutation(
    trpc.deployments.retry.mutationOptions({
      onSuccess: (result) => {
        void queryClient.invalidateQueries(trpc.deployments.pathFilter());
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        showToast('info', { title: t('Retry started') });
        if (result.operation_id) onRetried?.(result.operation_id);
      },
      onError: (error) => {
        const { title, detail } = toFailure(error);
        showToast('danger', { title: t('Could not start the retry'), description: detail ?? title });
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
        ? t('Try again')
        : t('{n, plural, one {Retry # failed workload} other {Retry # failed workloads}}', { n: failed })}
    </Button>
  );
}

/** What went wrong, each with what to do about it; nothing when nothing did. */
function ProblemList({ problems }: { problems: readonly DeploymentProblem[] }) {
  const t = useT();
  if (problems.length === 0) return null;
  return (
    <ul aria-label={t('Problems')} className="flex flex-col gap-1">
      {problems.map((problem) => (
        <li key={`${problem.code} ${problem.message}`} className="[overflow-wrap:anywhere]">
          <span className="text-danger">{problem.message}</span>
          {problem.remedy && <span> {problem.remedy}</span>}
        </li>
      ))}
    </ul>
  );
}
