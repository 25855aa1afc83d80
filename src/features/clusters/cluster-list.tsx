'use client';
import { Plus, Waypoints } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { CLUSTER_SORTS, type Cluster, SYNC_STATUSES } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { SYNC_STATES } from '../shared/cluster-state';
import { useListState } from '../shared/list-state';
import { useStartSync } from '../shared/sync/use-start-sync';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { AddClusterDrawer } from './add-cluster-drawer';
import { clusterColumns } from './cluster-columns';
import { DeleteClusterDialog } from './delete-cluster-dialog';

const LIST = { sorts: CLUSTER_SORTS, defaultSort: 'name', filters: { sync_status: SYNC_STATUSES } } as const;

/** All clusters: how their syncs go and what they hold. */
export function ClusterList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const state = useListState(LIST);
  const [adding, setAdding] = useQueryState('add', parseAsBoolean.withDefault(false));
  const [deleting, setDeleting] = useState<Cluster | null>(null);
  const columns = useMemo(() => clusterColumns(t), [t]);
  const list = useServerList({
    name: 'clusters',
    columns,
    state,
    pathKey: trpc.clusters.list.pathKey(),
    fetchPage: (page, signal) => client.clusters.list.query({ ...state.input, ...page }, { signal }),
  });
  const sync = useStartSync();
  const writeReason = reason('cluster:write');
  useCommands(
    useMemo(
      () =>
        writeReason === null
          ? [
              {
                id: 'clusters.add',
                label: t('Add cluster'),
                group: t('Clusters'),
                icon: <Plus />,
                run: () => void setAdding(true),
              },
            ]
          : [],
      [t, writeReason, setAdding],
    ),
  );
  const add = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => void setAdding(true)}
      disabledReason={writeReason}
    >
      {t('Add cluster')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('Clusters')} actions={add} />
      <FilterBar
        search={{ label: t('Search clusters'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'sync_status',
            label: t('Sync'),
            single: true,
            options: SYNC_STATUSES.map((value) => ({ value, label: t(SYNC_STATES[value].word) })),
            value: state.filters.sync_status ? [state.filters.sync_status] : [],
            onValueChange: ([value]) =>
              state.setFilter('sync_status', SYNC_STATUSES.find((status) => status === value) ?? null),
          },
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="clusters"
        label={t('Clusters')}
        noun={{ one: t('cluster'), many: t('clusters') }}
        rowId={(cluster) => cluster.id}
        onRowOpen={(cluster) => router.push(paths.cluster({ clusterId: cluster.id }))}
        rowActions={(cluster) => ({
          name: cluster.name,
          entries: [
            {
              id: 'sync',
              label: t('Sync now'),
              onSelect: () => sync.mutate({ id: cluster.id }),
              disabledReason: reason('cluster:sync') ?? (cluster.active_run && t('A sync is under way.')),
            },
            {
              id: 'delete',
              label: t('Delete cluster'),
              tone: 'danger',
              onSelect: () => setDeleting(cluster),
              disabledReason: writeReason,
            },
          ],
        })}
        empty={
          <EmptyState icon={<Waypoints />} title={t('No clusters yet')} action={add}>
            {t(
              'Add a Proxmox VE cluster by its address and an API token. Its nodes, workloads and networks then appear here.',
            )}
          </EmptyState>
        }
      />
      <AddClusterDrawer
        open={adding}
        onClose={() => void setAdding(null)}
        onAdded={(cluster) => {
          sync.mutate({ id: cluster.id });
          router.push(paths.cluster({ clusterId: cluster.id }));
        }}
      />
      {deleting && (
        <DeleteClusterDialog
          cluster={deleting}
          open
          onClose={() => setDeleting(null)}
          onDeleted={() => setDeleting(null)}
        />
      )}
    </>
  );
}
