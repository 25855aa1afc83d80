import type { SyncRun } from '@/domain/sync';
import { formatDuration } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Progress } from '@/ui/progress';
import { Missing, RelativeTime } from '@/ui/values';
import { ClusterLink } from '../shared/entity-links';
import { counterText, runProgress } from '../shared/sync/stage-states';
import { RunState } from '../shared/sync/sync-state';

const make = createColumnHelper<SyncRun>();

const seconds = (run: SyncRun) =>
  run.started_at && run.finished_at ? (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000 : null;

export const runColumns = (t: Translate) => [
  make.custom('created_at', t('Requested'), (run) => <RelativeTime at={run.created_at} />, {
    sortable: true,
    sortFirst: 'desc',
    width: 120,
    csv: (run) => run.created_at,
  }),
  make.custom('status', t('Status'), (run) => <RunState run={run} />, { width: 190, csv: (run) => run.status }),
  make.text('cluster_name', t('Cluster'), (run) => run.cluster_name, {
    width: 140,
    render: (run) => <ClusterLink id={run.cluster_id} name={run.cluster_name} />,
  }),
  make.text('kind', t('Kind'), (run) => t(KIND_LABELS[run.kind]), { width: 180 }),
  make.custom(
    'result',
    t('Result'),
    (run) => {
      if (run.status === 'running') {
        return (
          <Progress
            label={t('Progress of {name}', { name: run.cluster_name })}
            showLabel={false}
            done={Math.round(runProgress(run) * 100)}
            total={100}
          />
        );
      }
      const text = run.status === 'failed' ? run.errors.at(-1)?.message : counterText(t, totalCounters(run));
      return text || <Missing />;
    },
    { width: 260, grow: true, csv: (run) => run.errors.at(-1)?.message ?? counterText(t, totalCounters(run)) },
  ),
  make.text('trigger', t('Started by'), (run) => t(TRIGGER_LABELS[run.trigger]), { width: 120 }),
  make.custom(
    'duration',
    t('Duration'),
    (run) => {
      const took = seconds(run);
      return took === null ? <Missing /> : formatDuration(took * 1000);
    },
    { width: 90, align: 'end', csv: seconds },
  ),
  make.number('attempts', t('Attempts'), (run) => run.attempts, { hidden: true }),
  make.mono('id', t('Run ID'), (run) => run.id, { hidden: true, width: 290 }),
];

export const KIND_LABELS: Record<SyncRun['kind'], string> = {
  inventory: msg('Inventory sync'),
  ipam: msg('Address discovery'),
};

const TRIGGER_LABELS: Record<SyncRun['trigger'], string> = {
  manual: msg('Manual'),
  auto: msg('Schedule'),
  setup: msg('Setup'),
};

/** The counters of all stages together. */
export function totalCounters(run: Pick<SyncRun, 'counters'>): SyncRun['counters'][string] {
  const total = { seen: 0, created: 0, changed: 0, removed: 0, skipped: 0, errors: 0 };
  for (const counters of Object.values(run.counters)) {
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counters[key];
  }
  return total;
}
