'use client';
import { useQuery } from '@tanstack/react-query';
import { Pencil, PlugZap, RefreshCw, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo, useState } from 'react';
import type { Cluster } from '@/domain/cluster';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { loadOnOpening } from '@/ui/load-on-opening';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { DeleteMenu, EditButton } from '../shared/detail-actions';
import { DetailPage } from '../shared/detail-page';
import { DiscoverButton } from '../shared/discovery/discover-button';
import { ClusterState, ReadOnlyBadge } from '../shared/sync/sync-state';
import { useStartSync } from '../shared/sync/use-start-sync';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import { ClusterOverview } from './cluster-overview';
import { DeleteClusterDialog } from './delete-cluster-dialog';

const EditClusterDrawer = loadOnOpening(() =>
  import('./edit-cluster-drawer').then((module) => module.EditClusterDrawer),
);

const CheckClusterDialog = loadOnOpening(() =>
  import('./check-cluster-dialog').then((module) => module.CheckClusterDialog),
);

const TABS = ['overview', 'nodes', 'workloads', 'networks', 'firewall', 'runs'] as const;

const SHOW_LABELS = {
  nodes: msg('Show nodes'),
  workloads: msg('Show workloads'),
  networks: msg('Show networks'),
  firewall: msg('Show firewall'),
  runs: msg('Show sync runs'),
} as const;
const SHOWN_TABS = ['nodes', 'workloads', 'networks', 'firewall', 'runs'] as const;

type Props = {
  clusterId: string;
  /** What hangs off the cluster; other features make these tables. */
  tables: Record<'nodes' | 'workloads' | 'networks' | 'firewall' | 'runs', ReactNode>;
};

/** One cluster: its state, what can be done with it, and what it holds. */
export function ClusterDetail({ clusterId, tables }: Props) {
  const trpc = useTRPC();
  const query = useQuery(trpc.clusters.get.queryOptions({ id: clusterId }));
  return (
    <DetailPage query={query} title={(item) => item.name}>
      {(cluster) => <Content cluster={cluster} tables={tables} />}
    </DetailPage>
  );
}

function Content({ cluster, tables }: { cluster: Cluster; tables: Props['tables'] }) {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.cluster({ clusterId: cluster.id, tab }));
  const [dialog, setDialog] = useState<'edit' | 'check' | 'delete' | null>(null);
  const [watchedRun, setWatchedRun] = useState<string | null>(null);
  // A user who saw a run begin wants to see how it ended.
  const activeRun = cluster.active_run?.id ?? null;
  if (activeRun !== null && activeRun !== watchedRun) setWatchedRun(activeRun);
  const close = () => setDialog(null);
  const sync = useStartSync({ onStarted: setWatchedRun });
  const startSync = () => {
    sync.mutate({ id: cluster.id });
    if (tab !== 'overview') openTab('overview');
  };
  const writeReason = reason('cluster:write');
  const syncing = activeRun !== null;
  const syncReason =
    reason('cluster:sync') ??
    (!cluster.has_api_token
      ? t('No API token is stored. Edit the cluster to add one.')
      : syncing
        ? t('A sync is running.')
        : null);
  useCommands(
    useMemo(() => {
      const group = t('This cluster');
      return [
        ...(writeReason === null
          ? [
              { id: 'cluster.edit', label: t('Edit cluster'), group, icon: <Pencil />, run: () => setDialog('edit') },
              {
                id: 'cluster.check',
                label: t('Check connection'),
                group,
                icon: <PlugZap />,
                run: () => setDialog('check'),
              },
              {
                id: 'cluster.delete',
                label: t('Delete cluster'),
                group,
                icon: <Trash2 />,
                run: () => setDialog('delete'),
              },
            ]
          : []),
        ...SHOWN_TABS.map((id) => ({
          id: `cluster.tab.${id}`,
          label: t(SHOW_LABELS[id]),
          group,
          run: () => router.push(paths.cluster({ clusterId: cluster.id, tab: id })),
        })),
      ];
    }, [t, writeReason, router, cluster.id]),
  );
  const { counts } = cluster;
  return (
    <>
      <PageTrail crumbs={[{ label: cluster.name }]} />
      <PageHeader
        title={cluster.name}
        badge={
          <>
            <ClusterState cluster={cluster} />
            <ReadOnlyBadge cluster={cluster} />
          </>
        }
        actions={
          <>
            <Button icon={<PlugZap size={14} />} onClick={() => setDialog('check')} disabledReason={writeReason}>
              <span>
                {t.rich('Check<rest> connection</rest>', {
                  rest: (inside) => <span className="max-sm:sr-only">{inside}</span>,
                })}
              </span>
            </Button>
            <EditButton onClick={() => setDialog('edit')} disabledReason={writeReason} />
            <DiscoverButton
              clusterId={cluster.id}
              disabledReason={cluster.has_api_token ? null : t('No API token is stored. Edit the cluster to add one.')}
            />
            <DeleteMenu
              name={cluster.name}
              label={t('Delete cluster')}
              onSelect={() => setDialog('delete')}
              disabledReason={writeReason}
            />
            <Button
              variant="primary"
              icon={<RefreshCw size={14} />}
              onClick={startSync}
              pending={sync.isPending}
              disabledReason={syncReason}
            >
              {t('Sync now')}
            </Button>
          </>
        }
      />
      <Tabs
        label={t('Cluster sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          {
            value: 'overview',
            label: t('Overview'),
            content: (
              <ClusterOverview
                cluster={cluster}
                watchedRun={watchedRun}
                onEdit={() => setDialog('edit')}
                onCheck={() => setDialog('check')}
                writeReason={writeReason}
              />
            ),
          },
          { value: 'nodes', label: t('Nodes'), count: counts.nodes, content: tables.nodes },
          { value: 'workloads', label: t('Workloads'), count: counts.workloads, content: tables.workloads },
          { value: 'networks', label: t('Networks'), count: counts.networks, content: tables.networks },
          { value: 'firewall', label: t('Firewall'), content: tables.firewall },
          { value: 'runs', label: t('Sync runs'), content: tables.runs },
        ]}
      />
      <EditClusterDrawer cluster={cluster} open={dialog === 'edit'} onClose={close} />
      <CheckClusterDialog
        cluster={cluster}
        open={dialog === 'check'}
        onClose={close}
        onEdit={() => setDialog('edit')}
        editReason={writeReason}
      />
      <DeleteClusterDialog
        cluster={cluster}
        open={dialog === 'delete'}
        onClose={close}
        onDeleted={() => router.replace(paths.clusters())}
      />
    </>
  );
}
