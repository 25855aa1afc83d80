import type { IpAddress } from '@/domain/ipam/ip-address';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Missing } from '@/ui/values';
import { AddressLink, ClusterLink, NetworkLink, SubnetLink, WorkloadLink } from '../shared/entity-links';
import { ADDRESS_SOURCE_LABELS, ADDRESS_STATE_LABELS, AddressState } from '../shared/ipam/address-state';

const make = createColumnHelper<IpAddress>();

export const addressColumns = (t: Translate) => [
  make.custom('address', t('Address'), (item) => <AddressLink id={item.id} address={item.address} />, {
    sortable: true,
    width: 190,
    grow: true,
    csv: (item) => item.address,
  }),
  make.custom('state', t('State'), (item) => <AddressState state={item.state} />, {
    sortable: true,
    width: 100,
    csv: (item) => t(ADDRESS_STATE_LABELS[item.state].word),
  }),
  make.text('workload_name', t('Workload'), (item) => item.workload?.name, {
    sortable: true,
    width: 170,
    grow: true,
    render: (item) =>
      item.workload ? (
        <WorkloadLink id={item.workload.id} name={item.workload.name} />
      ) : (
        <Missing label={t('Not assigned')} />
      ),
  }),
  make.text('hostname', t('Host name'), (item) => item.hostname, { sortable: true, width: 120 }),
  make.mono('interface_name', t('Interface'), (item) => item.interface_name, { hidden: true, width: 80 }),
  make.mono('mac', t('MAC address'), (item) => item.mac, { width: 140 }),
  make.custom('subnet_cidr', t('Prefix'), (item) => <SubnetLink id={item.subnet_id} cidr={item.subnet_cidr} />, {
    width: 130,
    csv: (item) => item.subnet_cidr,
  }),
  make.text('network_name', t('Network'), (item) => item.network_name, {
    sortable: true,
    width: 110,
    render: (item) => <NetworkLink id={item.network_id} name={item.network_name} />,
  }),
  make.text('cluster_name', t('Cluster'), (item) => item.cluster_name, {
    sortable: true,
    hidden: true,
    width: 120,
    render: (item) => <ClusterLink id={item.cluster_id} name={item.cluster_name} />,
  }),
  make.text('source', t('Data source'), (item) => t(ADDRESS_SOURCE_LABELS[item.source]), {
    sortable: true,
    hidden: true,
    width: 120,
  }),
  make.text('description', t('Description'), (item) => item.description, { hidden: true, width: 180 }),
  make.time('last_seen_at', t('Last seen'), (item) => item.last_seen_at, {
    sortable: true,
    none: t('Never'),
  }),
  make.time('updated_at', t('Changed'), (item) => item.updated_at, { sortable: true, hidden: true }),
];
