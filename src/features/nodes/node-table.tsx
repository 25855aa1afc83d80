'use client';
import { Server } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { NODE_SORTS, NODE_STATUSES } from '@/domain/inventory';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { NODE_STATES } from '../shared/inventory-states';
import { useListState } from '../shared/list-state';
import { useClusterOptions } from '../shared/use-cluster-options';
import { useServerList } from '../shared/use-server-list';
import { nodeColumns } from './node-columns';

const LIST = {
  sorts: NODE_SORTS,
  defaultSort: 'name',
  filters: { status: NODE_STATUSES, cluster_id: 'id', faulty: 'flag' },
} as const;

/** Nodes with search and filters; those of one cluster when it is given. */
export function NodeTable({ clusterId }: { clusterId?: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const fixed = clusterId ? { cluster_id: clusterId } : undefined;
  const columns = useMemo(
    () => nodeColumns(t).filter((column) => !clusterId || column.id !== 'cluster_name'),
    [t, clusterId],
  );
  const list = useServerList({
    name: 'nodes',
    columns,
    state,
    pathKey: trpc.nodes.list.pathKey(),
    fixed,
    fetchPage: (page, signal) => client.nodes.list.query({ ...state.input, ...fixed, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        search={{ label: t('Search nodes'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: t('Status'),
            single: true,
            options: NODE_STATUSES.map((value) => ({ value, label: t(NODE_STATES[value].word) })),
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) =>
              state.setFilter('status', NODE_STATUSES.find((status) => status === value) ?? null),
          },
          {
            id: 'faulty',
            label: t('Health'),
            single: true,
            options: [
              { value: 'true', label: t('Faulty') },
              { value: 'false', label: t('Healthy') },
            ],
            value: filters.faulty === null ? [] : [String(filters.faulty)],
            onValueChange: ([value]) => state.setFilter('faulty', value === undefined ? null : value === 'true'),
          },
          ...(clusterId
            ? []
            : [
                {
                  id: 'cluster_id',
                  label: t('Cluster'),
                  single: true,
                  options: clusters,
                  value: filters.cluster_id ? [filters.cluster_id] : [],
                  onValueChange: ([value]: string[]) => state.setFilter('cluster_id', value ?? null),
                },
              ]),
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id={clusterId ? 'cluster-nodes' : 'nodes'}
        label={t('Nodes')}
        noun={{ one: t('node'), many: t('nodes') }}
        rowId={(node) => node.id}
        onRowOpen={(node) => router.push(paths.node({ nodeId: node.id }))}
        empty={
          <EmptyState
            icon={<Server />}
            title={t('No nodes yet')}
            action={
              <Link className={buttonClass()} href={clusterId ? paths.cluster({ clusterId }) : paths.clusters()}>
                {clusterId ? t('Go to the cluster') : t('Go to clusters')}
              </Link>
            }
          >
            {t(
              clusterId
                ? 'Nodes appear with the first successful sync of this cluster.'
                : 'Nodes appear with the first successful sync of a cluster.',
            )}
          </EmptyState>
        }
      />
    </>
  );
}
