'use client';
import { Waypoints } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { CLUSTER_SORTS, SYNC_STATUSES } from '@/domain/choices';
import type { Cluster } from '@/domain/cluster';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { loadOnOpening } from '@/ui/load-on-opening';
import { declareList } from '../shared/list/declare-list';
import { choice } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { SYNC_STATES } from '../shared/sync/sync-state';
import { useStartSync } from '../shared/sync/use-start-sync';
import { usePermissions } from '../shared/use-permissions';
import { useAdding } from '../shared/use-url-state';
import { clusterColumns } from './cluster-columns';
import { DeleteClusterDialog } from './delete-cluster-dialog';

const AddClusterDrawer = loadOnOpening(() => import('./add-cluster-drawer').then((module) => module.AddClusterDrawer));

const CLUSTERS = declareList({
  from: 'clusters.list',
  name: 'clusters',
  title: msg('Clusters'),
  label: msg('Clusters'),
  noun: { one: msg('cluster'), many: msg('clusters') },
  search: msg('Search clusters'),
  sorts: CLUSTER_SORTS,
  defaultSort: 'name',
  filters: { sync_status: choice(msg('Sync'), SYNC_STATUSES, (one) => SYNC_STATES[one].word) },
  columns: clusterColumns,
  rowId: (cluster) => cluster.id,
  rowPath: (cluster) => paths.cluster({ clusterId: cluster.id }),
  add: {
    label: msg('Add cluster'),
    permission: 'cluster:write',
  },
  empty: {
    icon: <Waypoints />,
    title: msg('No clusters yet'),
    text: msg(
      'Add a Proxmox VE cluster with its address and an API token. Its nodes, workloads and networks then appear here.',
    ),
  },
});

/** All clusters: how their syncs go and what they hold. */
export function ClusterList() {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [adding, setAdding] = useAdding('cluster:write');
  const [deleting, setDeleting] = useState<Cluster | null>(null);
  const list = useList(CLUSTERS);
  const sync = useStartSync();
  const writeReason = reason('cluster:write');
  return (
    <>
      <ListView
        of={list}
        onAdd={() => setAdding(true)}
        rowActions={(cluster) => ({
          name: cluster.name,
          entries: [
            {
              id: 'sync',
              label: t('Sync now'),
              onSelect: () => sync.mutate({ id: cluster.id }),
              disabledReason: reason('cluster:sync') ?? (cluster.active_run && t('A sync is running.')),
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
      />
      <AddClusterDrawer
        open={adding}
        onClose={() => setAdding(false)}
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
