'use client';
import type { SyncRun } from '@/domain/sync';
import { formatDuration } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { Progress } from '@/ui/progress';
import { RelativeTime } from '@/ui/relative-time';
import { useNow } from '@/ui/use-now';
import { RunProblems } from './run-problems';
import { RunStages } from './run-stages';
import { RunState } from './run-state';
import { runProgress } from './stage-states';

/** Everything about one run: how far it is or what came of it, per stage, with problems and remedies. */
export function RunPanel({ run }: { run: SyncRun }) {
  const t = useT();
  const active = run.status === 'queued' || run.status === 'running';
  const problems = Object.values(run.counters).reduce((sum, counters) => sum + counters.errors, 0);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2" aria-live="polite">
        <RunState run={run} />
        <span className="text-sm text-muted">
          <Timing run={run} />
        </span>
      </div>
      {active && (
        <Progress
          label={run.kind === 'ipam' ? t('Discovery') : t('Sync')}
          showLabel={false}
          done={run.status === 'queued' ? null : Math.round(runProgress(run) * 100)}
          total={100}
        />
      )}
      {run.status === 'queued' && (
        <p className="text-muted">{t('Waiting for a worker. If it stays like this, look at the jobs page.')}</p>
      )}
      {run.status === 'failed' && (
        <Notice tone="danger" title={run.kind === 'ipam' ? t('The discovery failed') : t('The sync failed')} live>
          {t('What was known before is kept.')}
        </Notice>
      )}
      <RunProblems errors={run.errors} total={Math.max(problems, run.errors.length)} />
      <RunStages run={run} />
    </div>
  );
}

function Timing({ run }: { run: SyncRun }) {
  const t = useT();
  const now = useNow();
  if (!run.started_at) return <RelativeTime at={run.created_at} />;
  const end = run.finished_at ? Date.parse(run.finished_at) : now;
  const took = end === null ? null : formatDuration(end - Date.parse(run.started_at));
  if (!run.finished_at) return took && t('for {time}', { time: took });
  const at = <RelativeTime at={run.finished_at} />;
  return took ? t.rich('{at}, took {time}', { at, time: took }) : at;
}
