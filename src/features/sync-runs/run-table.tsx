'use client';
import { useQuery } from '@tanstack/react-query';
import { RUN_KINDS, RUN_STATUSES } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { Drawer } from '@/ui/drawer';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { LiveRun } from '../shared/sync/live-run';
import { RUN_STATES } from '../shared/sync/sync-state';
import { KIND_LABELS, runColumns } from './run-columns';

const RUNS = declareList({
  from: 'syncRuns.list',
  name: 'sync-runs',
  id: 'runs',
  label: msg('Runs'),
  noun: { one: msg('run'), many: msg('runs') },
  sorts: ['created_at'],
  defaultSort: '-created_at',
  filters: {
    status: choice(msg('Status'), RUN_STATUSES, (one) => RUN_STATES[one].word),
    kind: choice(msg('Kind'), RUN_KINDS, (one) => KIND_LABELS[one]),
    cluster_id: CLUSTER,
  },
  common: ['status'],
  columns: runColumns,
  rowId: (run) => run.id,
  empty: ({ within }) => ({
    title: msg('No runs yet'),
    text: msg('Syncs and discoveries appear here. Select Sync now, or wait for the schedule.'),
    link:
      'cluster_id' in within
        ? { label: msg('Go to the cluster'), href: paths.cluster({ clusterId: String(within.cluster_id) }) }
        : { label: msg('Go to clusters'), href: paths.clusters() },
  }),
});

/** Runs of syncs and discoveries, newest first; those of one cluster when it is given. A row opens the run. */
export function RunTable({ clusterId }: { clusterId?: string }) {
  const [runId, setRunId] = useUrlValue('run', URL_TEXT);
  const list = useList(RUNS, clusterId ? { within: { cluster_id: clusterId }, hide: ['cluster_name'] } : {});
  return (
    <>
      <ListView of={list} id={clusterId && 'cluster-runs'} onRowOpen={(run) => void setRunId(run.id)} />
      <RunDrawer runId={runId} onClose={() => void setRunId(null)} />
    </>
  );
}

function RunDrawer({ runId, onClose }: { runId: string | null; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.syncRuns.get.queryOptions({ id: runId ?? '' }), enabled: runId !== null });
  return (
    <Drawer
      open={runId !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={
        data && runId ? t('{kind} of {name}', { kind: t(KIND_LABELS[data.kind]), name: data.cluster_name }) : t('Run')
      }
    >
      {runId && <LiveRun runId={runId} />}
    </Drawer>
  );
}
