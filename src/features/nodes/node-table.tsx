'use client';
import { Server } from 'lucide-react';
import { NODE_SORTS, NODE_STATUSES } from '@/domain/choices';
import { msg } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { NODE_STATES } from '../shared/inventory-states';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, flag } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { nodeColumns } from './node-columns';

const NODES = declareList({
  from: 'nodes.list',
  name: 'nodes',
  label: msg('Nodes'),
  noun: { one: msg('node'), many: msg('nodes') },
  search: msg('Search nodes'),
  sorts: NODE_SORTS,
  defaultSort: 'name',
  filters: {
    status: choice(msg('Status'), NODE_STATUSES, (one) => NODE_STATES[one].word),
    faulty: flag(msg('Health'), [
      [true, msg('Faulty')],
      [false, msg('Healthy')],
    ]),
    cluster_id: CLUSTER,
  },
  common: ['status'],
  columns: nodeColumns,
  rowId: (node) => node.id,
  rowPath: (node) => paths.node({ nodeId: node.id }),
  empty: ({ within }) => ({
    icon: <Server />,
    title: msg('No nodes yet'),
    ...('cluster_id' in within
      ? {
          text: msg('Nodes appear with the first successful sync of this cluster.'),
          link: { label: msg('Go to the cluster'), href: paths.cluster({ clusterId: String(within.cluster_id) }) },
        }
      : {
          text: msg('Nodes appear with the first successful sync of a cluster.'),
          link: { label: msg('Go to clusters'), href: paths.clusters() },
        }),
  }),
});

/** Nodes with search and filters; those of one cluster when it is given. */
export function NodeTable({ clusterId }: { clusterId?: string }) {
  const nodes = useList(
    NODES,
    clusterId ? { within: { cluster_id: clusterId }, hide: ['cluster_id', 'cluster_name'] } : {},
  );
  return <ListView of={nodes} id={clusterId && 'cluster-nodes'} />;
}
