'use client';
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type ReactNode, useMemo, useState } from 'react';
import type { NetworkDetail as Detail } from '@/domain/inventory';
import { formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { RowActions } from '@/ui/menu';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { Tabs } from '@/ui/tabs';
import { EditButton } from '../shared/detail-actions';
import { DetailPage } from '../shared/detail-page';
import { ClusterLink } from '../shared/entity-links';
import { IPAM_SOURCE_LABELS, MissingSince } from '../shared/inventory-states';
import { usePermissions } from '../shared/use-permissions';
import { useUrlTab } from '../shared/use-url-state';
import { DeleteNetworkDialog } from './delete-network-dialog';
import { NETWORK_KIND_LABELS, vlanText } from './network-labels';
import { subnetColumns } from './subnet-columns';

const EditNetworkDrawer = loadOnOpening(() =>
  import('./edit-network-drawer').then((module) => module.EditNetworkDrawer),
);

const TABS = ['overview', 'firewall'] as const;

type Parts = {
  /** The table of what is attached to it, and what a VNet filters; other features make them. */
  workloads: ReactNode;
  firewall: ReactNode;
};

/** One network with its subnets and what is attached to it; of a VNet its firewall, too. */
export function NetworkDetail({ networkId, ...parts }: Parts & { networkId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.networks.get.queryOptions({ id: networkId }));
  return (
    <DetailPage query={query} title={(item) => item.name}>
      {(network) => <Content network={network} {...parts} />}
    </DetailPage>
  );
}

function Content({ network, workloads, firewall }: Parts & { network: Detail }) {
  const t = useT();
  const columns = useMemo(() => subnetColumns(t), [t]);
  const router = useRouter();
  const { can, reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const [tab, openTab] = useUrlTab(TABS, (tab) => paths.network({ networkId: network.id, tab }));
  // Only VNets have a firewall, and it belongs to the whole installation.
  const hasFirewall = network.kind === 'vnet' && can('cluster:read');
  const overview = (
    <>
      <Section>
        <Properties columns={2} items={listProperties(t, network)} />
      </Section>
      <Section title={t('Prefixes')} bare>
        <DataTable
          id="network-subnets"
          label={t('Prefixes')}
          noun={{ one: t('prefix'), many: t('prefixes') }}
          columns={columns}
          rows={network.subnets}
          rowId={(subnet) => subnet.id}
          onRowOpen={(subnet) => router.push(paths.subnet({ subnetId: subnet.id }))}
          total={network.subnets.length}
          loading={false}
          error={null}
          height="auto"
          empty={
            <EmptyState title={t('No known prefixes')}>
              {t('Syncs read SDN prefixes. Address discovery finds other prefixes.')}
            </EmptyState>
          }
        />
      </Section>
      <h2 className="text-base">{t('Attached workloads')}</h2>
      {workloads}
    </>
  );
  return (
    <>
      <PageTrail crumbs={[{ label: network.name }]} />
      <PageHeader
        title={network.name}
        description={network.alias || network.description || undefined}
        badge={<MissingSince at={network.missing_since} />}
        actions={
          <>
            <EditButton onClick={() => setDialog('edit')} disabledReason={writeReason} />
            <RowActions
              name={network.name}
              entries={[
                {
                  id: 'delete',
                  label: t('Delete network'),
                  icon: <Trash2 />,
                  tone: 'danger',
                  onSelect: () => setDialog('delete'),
                  disabledReason:
                    writeReason ??
                    (network.source === 'provider' && network.missing_since === null
                      ? t(
                          'This network exists on the cluster. Remove it there; the next sync removes the network here.',
                        )
                      : null),
                },
              ]}
            />
          </>
        }
      />
      {hasFirewall ? (
        <Tabs
          label={t('Network sections')}
          value={tab}
          onValueChange={openTab}
          tabs={[
            { value: 'overview', label: t('Overview'), content: overview },
            { value: 'firewall', label: t('Firewall'), content: firewall },
          ]}
        />
      ) : (
        overview
      )}
      <EditNetworkDrawer network={network} open={dialog === 'edit'} onClose={close} />
      {dialog === 'delete' && (
        <DeleteNetworkDialog network={network} onClose={close} onDeleted={() => router.replace(paths.networks())} />
      )}
    </>
  );
}

function listProperties(t: Translate, network: Detail) {
  return [
    { label: t('Kind'), value: t(NETWORK_KIND_LABELS[network.kind]) },
    { label: t('Interfaces'), value: formatCount(network.interfaces_total) },
    { label: t('Cluster'), value: <ClusterLink id={network.cluster_id} name={network.cluster_name} /> },
    { label: 'VLAN', value: vlanText(t, network) },
    { label: t('Zone'), value: network.zone },
    { label: t('Data source'), value: t(IPAM_SOURCE_LABELS[network.source]) },
    {
      label: t('On nodes'),
      value: network.node_names.join(', ') || (network.kind === 'vnet' ? t('All nodes of the zone') : null),
    },
  ];
}
