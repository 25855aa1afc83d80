'use client';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { CONFLICT_KINDS, CONFLICT_SORTS, CONFLICT_STATUSES, type IpamConflict } from '@/domain/ipam/conflict';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../shared/list-state';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { CONFLICT_COLUMNS } from './conflict-columns';
import { CONFLICT_KIND_WORDS, CONFLICT_STATUS_WORDS } from './conflict-words';
import { ResolveConflictDialog } from './resolve-conflict-dialog';

const LIST = {
  sorts: CONFLICT_SORTS,
  defaultSort: '-created_at',
  filters: { status: [...CONFLICT_STATUSES, 'any'], kind: CONFLICT_KINDS, cluster_id: 'id' },
} as const;
const STATUS_OPTIONS = [
  { value: 'resolved', label: CONFLICT_STATUS_WORDS.resolved },
  { value: 'gone', label: CONFLICT_STATUS_WORDS.gone },
  { value: 'any', label: 'All, also decided ones' },
];
const KIND_OPTIONS = CONFLICT_KINDS.map((value) => ({ value, label: CONFLICT_KIND_WORDS[value] }));

/** Conflicts that are open or, when asked for, decided. A row opens the decision. */
export function ConflictTable() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [resolving, setResolving] = useState<IpamConflict | null>(null);
  // Without a choice only what waits for a decision is shown.
  const { status, ...rest } = state.input;
  const asked = { ...rest, ...(status !== 'any' && { status: status ?? ('open' as const) }) };
  const list = useServerList<IpamConflict>({
    name: 'conflicts',
    columns: CONFLICT_COLUMNS,
    state: { ...state, input: asked },
    pathKey: trpc.ipamConflicts.list.pathKey(),
    fetchPage: (page, signal) => client.ipamConflicts.list.query({ ...asked, ...page }, { signal }),
  });
  const reasonFor = (conflict: IpamConflict) =>
    writeReason ?? (conflict.status === 'open' ? null : 'It is decided already.');
  return (
    <>
      <FilterBar
        search={{ label: 'Search conflicts', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: 'Status',
            single: true,
            options: STATUS_OPTIONS,
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) =>
              state.setFilter('status', LIST.filters.status.find((one) => one === value) ?? null),
          },
          {
            id: 'kind',
            label: 'Kind',
            single: true,
            options: KIND_OPTIONS,
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) => state.setFilter('kind', CONFLICT_KINDS.find((one) => one === value) ?? null),
          },
          {
            id: 'cluster_id',
            label: 'Cluster',
            single: true,
            options: clusters,
            value: filters.cluster_id ? [filters.cluster_id] : [],
            onValueChange: ([value]) => state.setFilter('cluster_id', value ?? null),
          },
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="conflicts"
        label="Conflicts"
        noun={{ one: 'conflict', many: 'conflicts' }}
        rowId={(conflict) => conflict.id}
        onRowOpen={(conflict) => reasonFor(conflict) === null && setResolving(conflict)}
        rowActions={(conflict) => ({
          name: conflict.address ?? conflict.mac ?? 'conflict',
          entries: [
            {
              id: 'resolve',
              label: 'Resolve',
              onSelect: () => setResolving(conflict),
              disabledReason: reasonFor(conflict),
            },
          ],
        })}
        empty={
          <EmptyState icon={<ShieldCheck />} title="No open conflicts">
            Discoveries report here what cannot be right: an address on two workloads, one outside its subnets, a MAC
            address used twice. Nothing is overwritten until you decide.
          </EmptyState>
        }
      />
      <ResolveConflictDialog conflict={resolving} onClose={() => setResolving(null)} />
    </>
  );
}
