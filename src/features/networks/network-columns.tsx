import type { Network } from '@/domain/inventory';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { ClusterLink, NetworkLink } from '../shared/entity-links';
import { IPAM_SOURCE_LABELS, MissingSince } from '../shared/inventory-states';
import { NETWORK_KIND_LABELS, vlanText } from './network-labels';

const make = createColumnHelper<Network>();

export const networkColumns = (t: Translate) => [
  make.text('name', t('Name'), (network) => network.name, {
    sortable: true,
    width: 200,
    grow: true,
    render: (network) => (
      <span className="inline-flex max-w-full items-center gap-1.5">
        <span className="truncate">
          <NetworkLink id={network.id} name={network.name} />
        </span>
        <MissingSince at={network.missing_since} />
      </span>
    ),
  }),
  make.text('kind', t('Kind'), (network) => t(NETWORK_KIND_LABELS[network.kind]), { sortable: true, width: 100 }),
  make.text('alias', t('Alias'), (network) => network.alias || network.description, { width: 130 }),
  make.text('cluster_name', t('Cluster'), (network) => network.cluster_name, {
    sortable: true,
    width: 120,
    render: (network) => <ClusterLink id={network.cluster_id} name={network.cluster_name} />,
  }),
  make.text('zone', t('Zone'), (network) => network.zone, { sortable: true, width: 90 }),
  make.text('vlan_tag', 'VLAN', (network) => vlanText(t, network), { sortable: true, width: 90 }),
  make.number('interfaces_total', t('Interfaces'), (network) => network.interfaces_total, {
    sortable: true,
  }),
  make.number('subnets_total', t('Prefixes'), (network) => network.subnets_total),
  make.text(
    'node_names',
    t('On nodes'),
    (network) =>
      network.node_names.length > 0 ? network.node_names.join(', ') : network.kind === 'vnet' ? t('All') : null,
    { width: 150 },
  ),
  make.text('source', t('Data source'), (network) => t(IPAM_SOURCE_LABELS[network.source]), {
    hidden: true,
    width: 110,
  }),
];
