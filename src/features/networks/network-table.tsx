'use client';
import { Network as NetworkIcon } from 'lucide-react';
import { NETWORK_KINDS, NETWORK_SORTS } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, typed } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { networkColumns } from './network-columns';
import { NETWORK_KIND_LABELS } from './network-labels';

const NETWORKS = declareList({
  from: 'networks.list',
  name: 'networks',
  label: msg('Networks'),
  noun: { one: msg('network'), many: msg('networks') },
  search: msg('Search networks'),
  sorts: NETWORK_SORTS,
  defaultSort: 'name',
  filters: {
    kind: choice(msg('Kind'), NETWORK_KINDS, (one) => NETWORK_KIND_LABELS[one]),
    cluster_id: CLUSTER,
    zone: typed(msg('Zone')),
  },
  common: ['kind'],
  columns: networkColumns,
  rowId: (network) => network.id,
  rowPath: (network) => paths.network({ networkId: network.id }),
  empty: ({ within, can }) => ({
    icon: <NetworkIcon />,
    title: msg('No networks yet'),
    text: !can('cluster:read')
      ? msg('Networks with attached workloads of your tenant appear here.')
      : 'cluster_id' in within
        ? msg('Bridges and SDN VNets appear with the first successful sync of this cluster.')
        : msg('Bridges and SDN VNets appear with the first successful sync of a cluster.'),
    link: !can('cluster:read')
      ? null
      : 'cluster_id' in within
        ? { label: msg('Go to the cluster'), href: paths.cluster({ clusterId: String(within.cluster_id) }) }
        : { label: msg('Go to clusters'), href: paths.clusters() },
  }),
});

/** Bridges and VNets with search and filters; those of one cluster when it is given. */
export function NetworkTable({ clusterId }: { clusterId?: string }) {
  const list = useList(NETWORKS, clusterId ? { within: { cluster_id: clusterId }, hide: ['cluster_name'] } : {});
  return <ListView of={list} id={clusterId && 'cluster-networks'} />;
}
