'use client';
import { useQuery } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import type { Change } from '@/domain/change/change';
import { isFinalState } from '@/domain/change/states';
import type { Deployment } from '@/domain/deployments';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Progress } from '@/ui/progress';
import { Properties, type Property } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { isPaused, isWorking, WAVE_LABELS } from '../../shared/changes/change-labels';
import { GUEST_RESULT_LABELS } from '../../shared/deployment-run-labels';
import { DeploymentPanel, MAX_LISTED } from '../../shared/deployments/deployment-panel';
import { formatCanaries, formatLog, formatPause, formatTimer, ON_FAILURE_LABELS } from '../rollout-labels';

type Props = { change: Change; onEdit: () => void };

/** How the change is rolled out: settings before, waves and workloads while it is and after. */
export function RolloutSection({ change, onEdit }: Props) {
  const t = useT();
  return (
    <Section
      id="roll-out"
      title={t('Roll-out')}
      actions={
        change.actions.includes('edit') && (
          <Button icon={<Pencil size={14} />} onClick={onEdit}>
            {t('Edit settings')}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Properties columns={2} items={useSettings(change)} />
        {change.rollout.length > 0 && <Waves change={change} />}
        {change.applied_at !== null && <Deployments change={change} />}
      </div>
    </Section>
  );
}

function useSettings(change: Change): Property[] {
  const t = useT();
  const { waves, scheduled_at: at, within_maintenance: within, next_window_at: next } = change;
  const timed = (time: string) => (
    <span>
      {formatDateTime(time)} (<RelativeTime at={time} />)
    </span>
  );
  return [
    { label: t('Confirmation'), value: formatTimer(t, change) },
    { label: t('Canaries'), value: formatCanaries(t, waves) },
    ...(waves.canaries ? [{ label: t('Pause after canaries'), value: formatPause(t, waves) }] : []),
    { label: t('When workloads fail'), value: t(ON_FAILURE_LABELS[change.on_failure].label) },
    {
      label: t('When a check fails'),
      value: change.rollback_on_failed_check ? t('Roll back immediately') : t('Show it on this page'),
    },
    { label: t('Logging of new rules'), value: formatLog(t, change) },
    { label: t('Scheduled'), value: at ? timed(at) : t('When someone applies the change') },
    ...(within
      ? [
          {
            label: t('Maintenance window'),
            value: next ? t.rich('Next window {at}', { at: timed(next) }) : t('Open now, or not defined'),
          },
        ]
      : []),
  ];
}

const DONE = ['ok', 'unchanged', 'partial', 'failed', 'skipped'] as const;

/** The waves in their order, with what became of their workloads. */
function Waves({ change }: { change: Change }) {
  const t = useT();
  return (
    <ol aria-label={t('Waves')} className="flex flex-col gap-3">
      {change.rollout.map(({ kind, workloads, workloads_total: total, started_at: start, finished_at: end }) => {
        const done = DONE.reduce((sum, status) => sum + (workloads[status] ?? 0), 0);
        const isBad = (workloads.failed ?? 0) + (workloads.partial ?? 0) > 0;
        return (
          <li key={kind} className="flex min-w-0 flex-col gap-1">
            <Progress
              label={change.rollout.length === 1 && kind === 'rest' ? t('All workloads') : t(WAVE_LABELS[kind])}
              done={done}
              total={total}
              tone={isBad ? 'danger' : end ? 'ok' : 'info'}
            />
            <div className="flex flex-wrap gap-x-3 text-sm text-muted">
              {DONE.map((status) => {
                const n = workloads[status] ?? 0;
                const { tone, word } = GUEST_RESULT_LABELS[status];
                return (
                  n > 0 && (
                    <Status key={status} tone={tone}>
                      {t('{label}: {n, number}', { label: t(word), n })}
                    </Status>
                  )
                );
              })}
              {end ? (
                t.rich('Finished {at}', { at: <RelativeTime at={end} /> })
              ) : start ? (
                t.rich('Started {at}', { at: <RelativeTime at={start} /> })
              ) : (
                <span>{isPaused(change) ? t('Waiting for someone to continue') : t('Not started')}</span>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

const POLL_MS = 1000;
const LIVE_POLL_MS = 3000;

/** What was written to each workload, policy by policy; a rollback first. */
function Deployments({ change }: { change: Change }) {
  const t = useT();
  const trpc = useTRPC();
  const live = useIsLive();
  const query = useQuery({
    ...trpc.deployments.list.queryOptions({ change_id: change.id, limit: 200 }),
    refetchInterval: isWorking(change.state) || change.removes_log ? (live ? LIVE_POLL_MS : POLL_MS) : false,
  });
  if (!query.data) {
    return query.error ? (
      <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
    ) : (
      <Skeleton className="h-24 w-full" />
    );
  }
  const { items } = query.data;
  // What came last first: a rollback or the end of logging, then the waves from the last one.
  const waves = [...new Set(items.map(({ wave }) => wave ?? 0))].sort((a, b) => (a <= 0 || b <= 0 ? a - b : b - a));
  const total = items.reduce((sum, { progress_total: n }) => sum + (n ?? 0), 0);
  return (
    <>
      {waves.map((wave) => (
        <div key={wave} className="flex flex-col gap-3 border-t pt-3">
          {items
            .filter((deployment) => (deployment.wave ?? 0) === wave)
            .map((deployment) => (
              <DeploymentPanel
                key={deployment.id}
                deployment={deployment}
                heading={getHeading(deployment)}
                href={paths.policy({
                  policyId: deployment.policy_id,
                  ...{ tab: 'deployments', deployment: deployment.id },
                })}
                isRetriable={isFinalState(change.state) && deployment.kind !== 'log_removal'}
                isFolded={total > MAX_LISTED}
              />
            ))}
        </div>
      ))}
    </>
  );

  function getHeading({ policy_name: policy, cluster_name: cluster, kind, wave, policy_version: version }: Deployment) {
    const values = { policy, cluster, version };
    if (kind === 'log_removal') return t('End of temporary logging of {policy} on {cluster}', values);
    return wave !== null && wave < 0
      ? t('Rollback of {policy} on {cluster}', values)
      : t('{policy}, version {version}, on {cluster}', values);
  }
}
