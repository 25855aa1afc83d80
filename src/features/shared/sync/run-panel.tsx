'use client';
import type { SyncRun } from '@/domain/sync';
import { formatDuration } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { Progress } from '@/ui/progress';
import { Stages } from '@/ui/stages';
import { useNow } from '@/ui/use-now';
import { RelativeTime } from '@/ui/values';
import { counterText, runProgress, STAGE_TITLES, type StageView, stageStates } from './stage-states';
import { RunState } from './sync-state';

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
        <p className="text-muted">{t('Waiting for a worker. If this does not change, check the Jobs page.')}</p>
      )}
      {run.status === 'failed' && (
        <Notice tone="danger" title={run.kind === 'ipam' ? t('Discovery failed') : t('Sync failed')} live>
          {t('Existing data is kept.')}
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

/** The stages of a run with what each has seen and done. */
function RunStages({ run }: { run: SyncRun }) {
  const t = useT();
  const stages = stageStates(run).map((view) => ({
    id: view.stage,
    label: t(STAGE_TITLES[view.stage]),
    state: view.state,
    detail: formatDetail(t, view),
    ...(view.state === 'running' && { done: run.progress_done, total: run.progress_total }),
  }));
  return <Stages stages={stages} label={t(run.kind === 'ipam' ? 'Discovery stages' : 'Sync stages')} />;
}

function formatDetail(t: Translate, view: StageView): string | null {
  const text = counterText(t, view.counters);
  const seen = view.counters?.seen ?? 0;
  return text && seen > 0 ? t('{n, number} seen: {text}', { n: seen, text }) : text;
}

/** What went wrong in a run: where, with what, and what to do. The run keeps the first ones; `total` counts them all. */
function RunProblems({ errors, total = errors.length }: { errors: SyncRun['errors']; total?: number }) {
  const t = useT();
  if (errors.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <ul className="divide-y rounded-md border" aria-label={t('Problems')}>
        {errors.map((error) => (
          <li key={`${error.stage} ${error.object} ${error.code} ${error.message}`} className="px-3 py-2">
            <p className="[overflow-wrap:anywhere]">
              {error.object && <span className="mono">{error.object}: </span>}
              {error.message}
            </p>
            {error.remedy && <p className="font-medium text-pretty">{error.remedy}</p>}
          </li>
        ))}
      </ul>
      {total > errors.length && (
        <p className="text-sm text-muted">
          {t('Showing the first {n, number} of {total, number}.', { n: errors.length, total })}
        </p>
      )}
    </div>
  );
}
