import type { Cluster } from '@/domain/cluster';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { ClusterLink } from '../shared/entity-links';
import { KnownFlag } from '../shared/inventory-states';
import { ClusterState, ReadOnlyBadge, SYNC_STATES } from '../shared/sync/sync-state';

const make = createColumnHelper<Cluster>();

export const clusterColumns = (t: Translate) => [
  make.text('name', t('Name'), (cluster) => cluster.name, {
    sortable: true,
    width: 240,
    grow: true,
    render: (cluster) => (
      <span className="flex items-center gap-2">
        <span className="truncate">
          <ClusterLink id={cluster.id} name={cluster.name} />
        </span>
        <ReadOnlyBadge cluster={cluster} />
      </span>
    ),
  }),
  make.custom('sync_status', t('Sync'), (cluster) => <ClusterState cluster={cluster} />, {
    sortable: true,
    width: 130,
    csv: (cluster) => t(SYNC_STATES[cluster.sync_status].word),
  }),
  make.time('last_sync_at', t('Last sync'), (cluster) => cluster.last_sync_at, {
    sortable: true,
    none: t('Never'),
  }),
  make.text('last_sync_error', t('Problem'), (cluster) => cluster.last_sync_error, {
    width: 200,
    grow: true,
    render: (cluster) =>
      cluster.sync_status === 'failed' && cluster.last_sync_error ? (
        <span className="text-danger">{cluster.last_sync_error}</span>
      ) : null,
  }),
  make.number('nodes', t('Nodes'), (cluster) => cluster.counts.nodes),
  make.number('workloads', t('Workloads'), (cluster) => cluster.counts.workloads),
  make.number('networks', t('Networks'), (cluster) => cluster.counts.networks, { hidden: true }),
  make.number('ip_addresses', t('Addresses'), (cluster) => cluster.counts.ip_addresses, { hidden: true }),
  make.custom(
    'firewall_enabled',
    t('Firewall'),
    (cluster) => <KnownFlag value={cluster.firewall_enabled} noTone="warn" />,
    { width: 112, csv: (cluster) => cluster.firewall_enabled },
  ),
  make.custom(
    'quorate',
    t('Quorum'),
    (cluster) => <KnownFlag value={cluster.quorate} yes={t('Yes')} no={t('Lost')} noTone="danger" />,
    { width: 112, csv: (cluster) => cluster.quorate },
  ),
  make.mono('api_url', t('API address'), (cluster) => cluster.api_url, { sortable: true, hidden: true, width: 220 }),
  make.mono('provider_version', t('Version'), (cluster) => cluster.provider_version, { hidden: true, width: 90 }),
  make.time('created_at', t('Added'), (cluster) => cluster.created_at, { sortable: true, hidden: true }),
];
