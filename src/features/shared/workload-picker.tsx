'use client';
import { useMemo, useState } from 'react';
import type { WORKLOAD_SORTS } from '@/domain/choices';
import type { Workload } from '@/domain/inventory';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { Missing, Mono } from '@/ui/values';
import { SHORT_KIND_LABELS, WorkloadState } from './inventory-states';
import { CLUSTER } from './list/filters';
import { useFilterFields } from './list/use-filter-fields';
import { useServerList } from './use-server-list';

type Sort = (typeof WORKLOAD_SORTS)[number] | `-${(typeof WORKLOAD_SORTS)[number]}`;

const make = createColumnHelper<Workload>();

const columnsFor = (t: Translate) => [
  make.text('name', t('Name'), (workload) => workload.name, { sortable: true, width: 180, grow: true }),
  make.custom('vmid', 'VMID', (workload) => <Mono>{workload.vmid}</Mono>, {
    sortable: true,
    width: 84,
    align: 'end',
    csv: (workload) => workload.vmid,
  }),
  make.custom('status', t('Status'), (workload) => <WorkloadState status={workload.status} />, {
    sortable: true,
    width: 110,
  }),
  make.text('kind', t('Kind'), (workload) => t(SHORT_KIND_LABELS[workload.kind]), { sortable: true, width: 96 }),
  make.custom(
    'addresses',
    t('Addresses'),
    ({ primary_addresses: addresses }) =>
      addresses.length > 0 ? <Mono>{addresses.join(', ')}</Mono> : <Missing label={t('No address known')} />,
    { width: 170, grow: true },
  ),
  make.text('cluster_name', t('Cluster'), (workload) => workload.cluster_name, { sortable: true, width: 120 }),
  make.text('tags', t('Tags'), (workload) => workload.tags.join(', '), { width: 130 }),
];

const FILTERS = { cluster_id: CLUSTER };

type Props = {
  selection: ReadonlySet<string>;
  onSelectionChange: (selection: ReadonlySet<string>) => void;
  /** Workloads of this project only. */
  projectId?: string | null;
};

/** Selects any number of workloads. Its search is its own: the URL belongs to the page below. */
export function WorkloadPicker({ selection, onSelectionChange, projectId }: Props) {
  const t = useT();
  const columns = useMemo(() => columnsFor(t), [t]);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [q, setQ] = useState('');
  const [sort, setSort] = useState<Sort>('name');
  const [clusterId, setClusterId] = useState<string | null>(null);
  const fields = useFilterFields(FILTERS, {
    filters: { cluster_id: clusterId },
    setFilters: ({ cluster_id = null }) => setClusterId(cluster_id),
  });
  const clear = () => {
    setQ('');
    setClusterId(null);
  };
  const input = {
    q: q.slice(0, 200) || undefined,
    sort,
    template: false,
    ...(clusterId && { cluster_id: clusterId }),
    ...(projectId && { project_id: projectId }),
  };
  const list = useServerList({
    name: 'workloads',
    columns,
    state: {
      input,
      sort,
      setSort: (next: string) => setSort(next as Sort),
      filtered: q !== '' || clusterId !== null,
      clear,
    },
    pathKey: trpc.workloads.list.pathKey(),
    fetchPage: (page, signal) => client.workloads.list.query({ ...input, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        search={{ label: t('Search by name, VMID, address or tag'), value: q, onValueChange: setQ }}
        fields={fields}
        onClear={clear}
      />
      <DataTable
        {...list}
        exporting={undefined}
        id="workload-picker"
        label={t('Available workloads')}
        noun={{ one: t('workload'), many: t('workloads') }}
        rowId={(workload) => workload.id}
        selection={selection}
        onSelectionChange={onSelectionChange}
        empty={
          <EmptyState title={t('No workloads yet')}>
            {t('Workloads appear with the first sync of a cluster.')}
          </EmptyState>
        }
      />
    </>
  );
}
