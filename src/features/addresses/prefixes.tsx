'use client';
import { IPAM_SOURCES } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { FilterBar } from '@/ui/filter-bar';
import { IPAM_SOURCE_WORDS } from '../shared/ipam/source-words';
import { useClusterOptions } from '../shared/use-cluster-options';
import { PrefixTree } from './prefix-tree';
import { SubnetTable } from './subnet-table';
import { usePrefixState } from './use-prefix-state';
import type { useSubnetDialogs } from './use-subnet-dialogs';

const FAMILIES = ['4', '6'] as const;
const FAMILY_OPTIONS = FAMILIES.map((value) => ({ value, label: `IPv${value}` }));

/** All prefixes: as a tree, or as a list of those that fit a search. */
export function Prefixes({ subnets }: { subnets: ReturnType<typeof useSubnetDialogs> }) {
  const t = useT();
  const state = usePrefixState();
  const { filters } = state;
  const clusters = useClusterOptions();
  // A cluster narrows the tree; everything else picks prefixes out of it.
  const searching = state.q !== '' || filters.family !== null || filters.source !== null;
  return (
    <>
      <FilterBar
        search={{ label: t('Search prefixes'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'cluster_id',
            label: t('Cluster'),
            single: true,
            options: clusters,
            value: filters.cluster_id ? [filters.cluster_id] : [],
            onValueChange: ([value]) => state.setFilter('cluster_id', value ?? null),
          },
          {
            id: 'family',
            label: t('Family'),
            single: true,
            options: FAMILY_OPTIONS,
            value: filters.family ? [filters.family] : [],
            onValueChange: ([value]) => state.setFilter('family', FAMILIES.find((one) => one === value) ?? null),
          },
          {
            id: 'source',
            label: t('Known from'),
            single: true,
            options: IPAM_SOURCES.map((value) => ({ value, label: t(IPAM_SOURCE_WORDS[value]) })),
            value: filters.source ? [filters.source] : [],
            onValueChange: ([value]) => state.setFilter('source', IPAM_SOURCES.find((one) => one === value) ?? null),
          },
        ]}
        onClear={state.clear}
      />
      {searching ? <SubnetTable state={state} /> : <PrefixTree clusterId={filters.cluster_id} subnets={subnets} />}
    </>
  );
}
