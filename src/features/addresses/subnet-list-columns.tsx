import type { Subnet } from '@/domain/ipam/subnet';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { ClusterLink, NetworkLink, SubnetLink } from '../shared/entity-links';
import { IPAM_SOURCE_LABELS, MissingSince } from '../shared/inventory-states';
import { UsageMeter } from '../shared/ipam/usage-meter';

const make = createColumnHelper<Subnet>();

export const subnetColumns = (t: Translate) => [
  make.custom(
    'cidr',
    t('Prefix'),
    (subnet) => (
      <span className="inline-flex max-w-full items-center gap-1.5">
        <span className="truncate">
          <SubnetLink id={subnet.id} cidr={subnet.cidr} />
        </span>
        <MissingSince at={subnet.missing_since} />
      </span>
    ),
    { sortable: true, width: 190, grow: true, csv: (subnet) => subnet.cidr },
  ),
  make.custom('usage', t('Addresses used'), (subnet) => <UsageMeter cidr={subnet.cidr} usage={subnet.usage} />, {
    width: 180,
    csv: (subnet) => subnet.usage.used,
  }),
  make.text('description', t('Description'), (subnet) => subnet.description, { width: 180, grow: true }),
  make.text('network_name', t('Network'), (subnet) => subnet.network_name, {
    sortable: true,
    width: 120,
    render: (subnet) => <NetworkLink id={subnet.network_id} name={subnet.network_name} />,
  }),
  make.text('cluster_name', t('Cluster'), (subnet) => subnet.cluster_name, {
    sortable: true,
    width: 120,
    render: (subnet) => <ClusterLink id={subnet.cluster_id} name={subnet.cluster_name} />,
  }),
  make.mono('gateway', t('Gateway'), (subnet) => subnet.gateway, { width: 120 }),
  make.custom('vlan_tag', 'VLAN', (subnet) => subnet.vlan_tag, {
    sortable: true,
    width: 76,
    align: 'end',
    csv: (subnet) => subnet.vlan_tag,
  }),
  make.custom(
    'dhcp_enabled',
    'DHCP',
    (subnet) => <Status tone={subnet.dhcp_enabled ? 'ok' : 'off'}>{subnet.dhcp_enabled ? t('On') : t('Off')}</Status>,
    { width: 84, csv: (subnet) => subnet.dhcp_enabled },
  ),
  make.text('source', t('Data source'), (subnet) => t(IPAM_SOURCE_LABELS[subnet.source]), { hidden: true, width: 110 }),
];
