'use client';
import { ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { CONFLICT_KINDS, CONFLICT_SORTS, CONFLICT_STATUSES, type IpamConflict } from '@/domain/ipam/conflict';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { useListState } from '../shared/list-state';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { conflictColumns } from './conflict-columns';
import { CONFLICT_KIND_WORDS, CONFLICT_STATUS_WORDS } from './conflict-words';
import { ResolveConflictDialog } from './resolve-conflict-dialog';

const LIST = {
  sorts: CONFLICT_SORTS,
  defaultSort: '-created_at',
  filters: { status: [...CONFLICT_STATUSES, 'any'], kind: CONFLICT_KINDS, cluster_id: 'id' },
} as const;

/** Conflicts that are open or, when asked for, decided. A row opens the decision. */
export function ConflictTable() {
  const t = useT();
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
  const columns = useMemo(() => conflictColumns(t), [t]);
  const list = useServerList<IpamConflict>({
    name: 'conflicts',
    columns,
    state: { ...state, input: asked },
    pathKey: trpc.ipamConflicts.list.pathKey(),
    fetchPage: (page, signal) => client.ipamConflicts.list.query({ ...asked, ...page }, { signal }),
  });
  const reasonFor = (conflict: IpamConflict) =>
    writeReason ?? (conflict.status === 'open' ? null : t('It is decided already.'));
  return (
    <>
      <FilterBar
        search={{ label: t('Search conflicts'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: t('Status'),
            single: true,
            options: [
              { value: 'resolved', label: t(CONFLICT_STATUS_WORDS.resolved) },
              { value: 'gone', label: t(CONFLICT_STATUS_WORDS.gone) },
              { value: 'any', label: t('All, also decided ones') },
            ],
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) =>
              state.setFilter('status', LIST.filters.status.find((one) => one === value) ?? null),
          },
          {
            id: 'kind',
            label: t('Kind'),
            single: true,
            options: CONFLICT_KINDS.map((value) => ({ value, label: t(CONFLICT_KIND_WORDS[value]) })),
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) => state.setFilter('kind', CONFLICT_KINDS.find((one) => one === value) ?? null),
          },
          {
            id: 'cluster_id',
            label: t('Cluster'),
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
        label={t('Conflicts')}
        noun={{ one: t('conflict'), many: t('conflicts') }}
        rowId={(conflict) => conflict.id}
        onRowOpen={(conflict) => reasonFor(conflict) === null && setResolving(conflict)}
        rowActions={(conflict) => ({
          name: conflict.address ?? conflict.mac ?? t('conflict'),
          entries: [
            {
              id: 'resolve',
              label: t('Resolve'),
              onSelect: () => setResolving(conflict),
              disabledReason: reasonFor(conflict),
            },
          ],
        })}
        empty={
          <EmptyState icon={<ShieldCheck />} title={t('No open conflicts')}>
            {t(
              'Discoveries report here what cannot be right: an address on two workloads, one outside its subnets, a MAC address used twice. Nothing is overwritten until you decide.',
            )}
          </EmptyState>
        }
      />
      <ResolveConflictDialog conflict={resolving} onClose={() => setResolving(null)} />
    </>
  );
}
