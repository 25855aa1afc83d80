'use client';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsString, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { RUN_KINDS, RUN_STATUSES } from '@/domain/sync';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { Drawer } from '@/ui/drawer';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../shared/list-state';
import { LiveRun } from '../shared/sync/live-run';
import { useClusterOptions } from '../shared/use-cluster-options';
import { useServerList } from '../shared/use-server-list';
import { runColumns } from './run-columns';
import { KIND_WORDS } from './run-words';

const LIST = {
  sorts: ['created_at'],
  defaultSort: '-created_at',
  filters: { status: RUN_STATUSES, kind: RUN_KINDS, cluster_id: 'id' },
} as const;

const STATUS_WORDS = {
  queued: msg('Queued'),
  running: msg('Running'),
  ok: msg('Succeeded'),
  failed: msg('Failed'),
} as const;

/** Runs of syncs and discoveries, newest first; those of one cluster when it is given. A row opens the run. */
export function RunTable({ clusterId }: { clusterId?: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const [runId, setRunId] = useQueryState('run', parseAsString);
  const fixed = clusterId ? { cluster_id: clusterId } : undefined;
  const ofCluster = clusterId !== undefined;
  const columns = useMemo(() => runColumns(t).filter(({ id }) => !ofCluster || id !== 'cluster_name'), [t, ofCluster]);
  const list = useServerList({
    name: 'sync-runs',
    columns,
    state,
    pathKey: trpc.syncRuns.list.pathKey(),
    fixed,
    fetchPage: (page, signal) => client.syncRuns.list.query({ ...state.input, ...fixed, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        facets={[
          {
            id: 'status',
            label: t('Status'),
            single: true,
            options: RUN_STATUSES.map((value) => ({ value, label: t(STATUS_WORDS[value]) })),
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) =>
              state.setFilter('status', RUN_STATUSES.find((status) => status === value) ?? null),
          },
          {
            id: 'kind',
            label: t('Kind'),
            single: true,
            options: RUN_KINDS.map((value) => ({ value, label: t(KIND_WORDS[value]) })),
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) => state.setFilter('kind', RUN_KINDS.find((kind) => kind === value) ?? null),
          },
          ...(clusterId
            ? []
            : [
                {
                  id: 'cluster_id',
                  label: t('Cluster'),
                  single: true,
                  options: clusters,
                  value: filters.cluster_id ? [filters.cluster_id] : [],
                  onValueChange: ([value]: string[]) => state.setFilter('cluster_id', value ?? null),
                },
              ]),
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id={clusterId ? 'cluster-runs' : 'runs'}
        label={t('Runs')}
        noun={{ one: t('run'), many: t('runs') }}
        rowId={(run) => run.id}
        onRowOpen={(run) => void setRunId(run.id)}
        empty={
          <EmptyState
            title={t('Nothing has run yet')}
            action={
              <Link className={buttonClass()} href={clusterId ? paths.cluster({ clusterId }) : paths.clusters()}>
                {clusterId ? t('Go to the cluster') : t('Go to clusters')}
              </Link>
            }
          >
            {t('Start a sync with Sync now, or let the schedule do it.')}
          </EmptyState>
        }
      />
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
        data && runId ? t('{kind} of {name}', { kind: t(KIND_WORDS[data.kind]), name: data.cluster_name }) : t('Run')
      }
    >
      {runId && <LiveRun runId={runId} />}
    </Drawer>
  );
}
