'use client';
import { Network as NetworkIcon } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { NETWORK_KINDS, NETWORK_SORTS } from '@/domain/inventory';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { FilterChip } from '../shared/filter-chip';
import { useListState } from '../shared/list-state';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { NETWORK_COLUMNS } from './network-columns';
import { NETWORK_KIND_LABELS } from './network-words';

const LIST = {
  sorts: NETWORK_SORTS,
  defaultSort: 'name',
  filters: { kind: NETWORK_KINDS, cluster_id: 'id', zone: 'text' },
} as const;
const KIND_OPTIONS = NETWORK_KINDS.map((value) => ({ value, label: NETWORK_KIND_LABELS[value] }));
const IN_CLUSTER = NETWORK_COLUMNS.filter((column) => column.id !== 'cluster_name');

/** Bridges and VNets with search and filters; those of one cluster when it is given. */
export function NetworkTable({ clusterId }: { clusterId?: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const { can } = usePermissions();
  const fixed = clusterId ? { cluster_id: clusterId } : undefined;
  const list = useServerList({
    name: 'networks',
    columns: clusterId ? IN_CLUSTER : NETWORK_COLUMNS,
    state,
    pathKey: trpc.networks.list.pathKey(),
    fixed,
    fetchPage: (page, signal) => client.networks.list.query({ ...state.input, ...fixed, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        search={{ label: 'Search networks', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'kind',
            label: 'Kind',
            single: true,
            options: KIND_OPTIONS,
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) => state.setFilter('kind', NETWORK_KINDS.find((kind) => kind === value) ?? null),
          },
          ...(clusterId
            ? []
            : [
                {
                  id: 'cluster_id',
                  label: 'Cluster',
                  single: true,
                  options: clusters,
                  value: filters.cluster_id ? [filters.cluster_id] : [],
                  onValueChange: ([value]: string[]) => state.setFilter('cluster_id', value ?? null),
                },
              ]),
        ]}
        onClear={state.clear}
      >
        {filters.zone && (
          <FilterChip label="Zone" value={filters.zone} onRemove={() => state.setFilter('zone', null)} />
        )}
      </FilterBar>
      <DataTable
        {...list}
        id={clusterId ? 'cluster-networks' : 'networks'}
        label="Networks"
        noun={{ one: 'network', many: 'networks' }}
        rowId={(network) => network.id}
        onRowOpen={(network) => router.push(paths.network({ networkId: network.id }))}
        empty={
          <EmptyState
            icon={<NetworkIcon />}
            title="No networks yet"
            action={
              can('cluster:read') && (
                <Link className={buttonClass()} href={clusterId ? paths.cluster({ clusterId }) : paths.clusters()}>
                  {clusterId ? 'Go to the cluster' : 'Go to clusters'}
                </Link>
              )
            }
          >
            {can('cluster:read')
              ? `Bridges and SDN VNets appear with the first successful sync of ${clusterId ? 'this cluster' : 'a cluster'}.`
              : 'Those to which workloads of your tenant are attached appear here.'}
          </EmptyState>
        }
      />
    </>
  );
}
