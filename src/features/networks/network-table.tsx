'use client';
import { Network as NetworkIcon } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { NETWORK_KINDS, NETWORK_SORTS } from '@/domain/inventory';
import { useT } from '@/lib/i18n/use-t';
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
import { networkColumns } from './network-columns';
import { NETWORK_KIND_LABELS } from './network-words';

const LIST = {
  sorts: NETWORK_SORTS,
  defaultSort: 'name',
  filters: { kind: NETWORK_KINDS, cluster_id: 'id', zone: 'text' },
} as const;

/** Bridges and VNets with search and filters; those of one cluster when it is given. */
export function NetworkTable({ clusterId }: { clusterId?: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const { can } = usePermissions();
  const fixed = clusterId ? { cluster_id: clusterId } : undefined;
  const columns = useMemo(
    () => networkColumns(t).filter((column) => !clusterId || column.id !== 'cluster_name'),
    [t, clusterId],
  );
  const list = useServerList({
    name: 'networks',
    columns,
    state,
    pathKey: trpc.networks.list.pathKey(),
    fixed,
    fetchPage: (page, signal) => client.networks.list.query({ ...state.input, ...fixed, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        search={{ label: t('Search networks'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'kind',
            label: t('Kind'),
            single: true,
            options: NETWORK_KINDS.map((value) => ({ value, label: t(NETWORK_KIND_LABELS[value]) })),
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) => state.setFilter('kind', NETWORK_KINDS.find((kind) => kind === value) ?? null),
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
      >
        {filters.zone && (
          <FilterChip label={t('Zone')} value={filters.zone} onRemove={() => state.setFilter('zone', null)} />
        )}
      </FilterBar>
      <DataTable
        {...list}
        id={clusterId ? 'cluster-networks' : 'networks'}
        label={t('Networks')}
        noun={{ one: t('network'), many: t('networks') }}
        rowId={(network) => network.id}
        onRowOpen={(network) => router.push(paths.network({ networkId: network.id }))}
        empty={
          <EmptyState
            icon={<NetworkIcon />}
            title={t('No networks yet')}
            action={
              can('cluster:read') && (
                <Link className={buttonClass()} href={clusterId ? paths.cluster({ clusterId }) : paths.clusters()}>
                  {clusterId ? t('Go to the cluster') : t('Go to clusters')}
                </Link>
              )
            }
          >
            {can('cluster:read')
              ? t(
                  clusterId
                    ? 'Bridges and SDN VNets appear with the first successful sync of this cluster.'
                    : 'Bridges and SDN VNets appear with the first successful sync of a cluster.',
                )
              : t('Those to which workloads of your tenant are attached appear here.')}
          </EmptyState>
        }
      />
    </>
  );
}
