'use client';
import { History } from 'lucide-react';
import { HOLDING_SORTS } from '@/domain/choices';
import type { AddressHolding } from '@/domain/ipam/ip-address';
import { msg, type Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { Link } from '@/ui/link';
import { Mono } from '@/ui/values';
import { ClusterLink, NetworkLink } from '../shared/entity-links';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, inUrl } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { TimeRangeControl } from '../shared/time-range-control';
import { holderColumns } from './holder-columns';
import { WITHIN_FILTER } from './prefix-search';

const make = createColumnHelper<AddressHolding>();

const LESS_ASKED = ['source', 'external_id'];

const columns = (t: Translate) => [
  make.text('address', t('Address'), (row) => row.address, {
    sortable: true,
    width: 140,
    render: (row) =>
      row.ip_address_id ? (
        <Link className="link mono" href={paths.address({ addressId: row.ip_address_id })}>
          {row.address}
        </Link>
      ) : (
        <Mono>{row.address}</Mono>
      ),
  }),
  ...holderColumns<AddressHolding>(t).map((column) =>
    LESS_ASKED.includes(column.id) ? { ...column, hidden: true } : column,
  ),
  make.text('network_name', t('Network'), (row) => row.network_name, {
    width: 110,
    render: (row) => <NetworkLink id={row.network_id} name={row.network_name} />,
  }),
  make.text('cluster_name', t('Cluster'), (row) => row.cluster_name, {
    width: 110,
    render: (row) => <ClusterLink id={row.cluster_id} name={row.cluster_name} />,
  }),
];

const HOLDERS = declareList({
  from: 'ipAddresses.holders',
  name: 'address-holders',
  label: msg('Assignment history'),
  noun: { one: msg('assignment'), many: msg('assignments') },
  search: msg('Search address, prefix, MAC or workload'),
  sorts: HOLDING_SORTS,
  defaultSort: '-from_at',
  filters: {
    cluster_id: CLUSTER,
    within: WITHIN_FILTER,
    since: inUrl('time'),
    until: inUrl('time'),
  },
  columns,
  rowId: (row) => row.id,
  empty: {
    icon: <History />,
    title: msg('No assignments in this time'),
    text: msg(
      'Each time a workload holds an address is listed here, also after the address or the workload is deleted.',
    ),
  },
});

/** Who held addresses, by prefix and time. */
export function HolderTable() {
  const list = useList(HOLDERS);
  const { filters, setFilters } = list.state;
  return (
    <ListView of={list}>
      <TimeRangeControl
        optional
        range={null}
        since={filters.since}
        until={filters.until}
        onChange={({ since, until }) => setFilters({ since, until })}
      />
    </ListView>
  );
}
