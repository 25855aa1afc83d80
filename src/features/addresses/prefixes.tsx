'use client';
import { useT } from '@/lib/i18n/use-t';
import { FilterBar } from '@/ui/filter-bar';
import { useFacets } from '../shared/list/use-facets';
import { PREFIX_FILTERS, usePrefixState } from './prefix-search';
import { PrefixTree } from './prefix-tree';
import { SubnetTable } from './subnet-table';
import type { useSubnetDialogs } from './use-subnet-dialogs';

/** All prefixes: as a tree, or as a list of those that fit a search. */
export function Prefixes({ subnets }: { subnets: ReturnType<typeof useSubnetDialogs> }) {
  const t = useT();
  const state = usePrefixState();
  const { filters } = state;
  const facets = useFacets(PREFIX_FILTERS, state);
  // A cluster narrows the tree; everything else picks prefixes out of it.
  const searching = state.q !== '' || filters.family !== null || filters.source !== null;
  return (
    <>
      <FilterBar
        search={{ label: t('Search prefixes'), value: state.q, onValueChange: state.setQ }}
        facets={facets}
        onClear={state.clear}
      />
      {searching ? <SubnetTable state={state} /> : <PrefixTree clusterId={filters.cluster_id} subnets={subnets} />}
    </>
  );
}
