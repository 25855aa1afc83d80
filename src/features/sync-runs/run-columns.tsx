import type { SyncRun } from '@/domain/sync';
import { formatDuration } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { columnsOf } from '@/ui/columns';
import { Missing } from '@/ui/missing';
import { Progress } from '@/ui/progress';
import { RelativeTime } from '@/ui/relative-time';
import { ClusterLink } from '../shared/inventory-links';
import { RunState } from '../shared/sync/run-state';
import { counterText, runProgress } from '../shared/sync/stage-states';
import { KIND_WORDS, TRIGGER_WORDS, totalCounters } from './run-words';

const make = columnsOf<SyncRun>();

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
  make.text('kind', t('Kind'), (run) => t(KIND_WORDS[run.kind]), { width: 180 }),
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
      return text ? <span title={text}>{text}</span> : <Missing />;
    },
    { width: 260, grow: true, csv: (run) => run.errors.at(-1)?.message ?? counterText(t, totalCounters(run)) },
  ),
  make.text('trigger', t('Started by'), (run) => t(TRIGGER_WORDS[run.trigger]), { width: 120 }),
  make.custom(
    'duration',
    t('Took'),
    (run) => {
      const took = seconds(run);
      return took === null ? <Missing /> : formatDuration(took * 1000);
    },
    { width: 90, align: 'end', csv: seconds },
  ),
  make.number('attempts', t('Attempts'), (run) => run.attempts, { hidden: true, width: 90 }),
  make.mono('id', t('Run id'), (run) => run.id, { hidden: true, width: 290 }),
];
