'use client';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsString, useQueryState } from 'nuqs';
import { RUN_KINDS, RUN_STATUSES } from '@/domain/sync';
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
import { RUN_COLUMNS } from './run-columns';
import { KIND_WORDS } from './run-words';

const LIST = {
  sorts: ['created_at'],
  defaultSort: '-created_at',
  filters: { status: RUN_STATUSES, kind: RUN_KINDS, cluster_id: 'id' },
} as const;

const STATUS_OPTIONS = [
  { value: 'queued', label: 'Queued' },
  { value: 'running', label: 'Running' },
  { value: 'ok', label: 'Succeeded' },
  { value: 'failed', label: 'Failed' },
];
const KIND_OPTIONS = RUN_KINDS.map((value) => ({ value, label: KIND_WORDS[value] }));
const IN_CLUSTER = RUN_COLUMNS.filter((column) => column.id !== 'cluster_name');

/** Runs of syncs and discoveries, newest first; those of one cluster when it is given. A row opens the run. */
export function RunTable({ clusterId }: { clusterId?: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const [runId, setRunId] = useQueryState('run', parseAsString);
  const fixed = clusterId ? { cluster_id: clusterId } : undefined;
  const list = useServerList({
    name: 'sync runs',
    columns: clusterId ? IN_CLUSTER : RUN_COLUMNS,
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
            label: 'Status',
            single: true,
            options: STATUS_OPTIONS,
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) =>
              state.setFilter('status', RUN_STATUSES.find((status) => status === value) ?? null),
          },
          {
            id: 'kind',
            label: 'Kind',
            single: true,
            options: KIND_OPTIONS,
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) => state.setFilter('kind', RUN_KINDS.find((kind) => kind === value) ?? null),
          },
          ...(clusterId
            ? []
            : [
                {
                  id: 'cluster_id',
                  label: 'Cluster',
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
        label="Runs"
        noun={{ one: 'run', many: 'runs' }}
        rowId={(run) => run.id}
        onRowOpen={(run) => void setRunId(run.id)}
        empty={
          <EmptyState
            title="Nothing has run yet"
            action={
              <Link className={buttonClass()} href={clusterId ? paths.cluster({ clusterId }) : paths.clusters()}>
                {clusterId ? 'Go to the cluster' : 'Go to clusters'}
              </Link>
            }
          >
            Start a sync with Sync now, or let the schedule do it.
          </EmptyState>
        }
      />
      <RunDrawer runId={runId} onClose={() => void setRunId(null)} />
    </>
  );
}

function RunDrawer({ runId, onClose }: { runId: string | null; onClose: () => void }) {
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.syncRuns.get.queryOptions({ id: runId ?? '' }), enabled: runId !== null });
  return (
    <Drawer
      open={runId !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={data && runId ? `${KIND_WORDS[data.kind]} of ${data.cluster_name}` : 'Run'}
    >
      {runId && <LiveRun runId={runId} />}
    </Drawer>
  );
}
