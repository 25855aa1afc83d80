'use client';
import { List, ListTree } from 'lucide-react';
import { useT } from '@/lib/i18n/use-t';
import { urlEnum, useUrlValue, withInitial } from '@/lib/url-state';
import { FilterBar } from '@/ui/filter-bar';
import { SegmentedControl } from '@/ui/segmented-control';
import { useFilterFields } from '../shared/list/use-filter-fields';
import { loadTab } from '../shared/load-tab';
import { PREFIX_FILTERS, usePrefixState } from './prefix-search';
import { PrefixTree } from './prefix-tree';
import type { useSubnetDialogs } from './use-subnet-dialogs';

const SubnetTable = loadTab(() => import('./subnet-table').then((module) => module.SubnetTable));

const VIEWS = ['tree', 'list'] as const;

/** All prefixes: nested in their networks, or as a list that is sorted by address or VLAN; a search returns a list. */
export function Prefixes({ subnets }: { subnets: ReturnType<typeof useSubnetDialogs> }) {
  const t = useT();
  const state = usePrefixState();
  const { filters } = state;
  const [view, setView] = useUrlValue('view', withInitial(urlEnum(VIEWS), 'tree'));
  const fields = useFilterFields(PREFIX_FILTERS, state);
  // A cluster narrows the tree; everything else picks prefixes out of it.
  const searching = state.q !== '' || filters.family !== null || filters.source !== null;
  return (
    <>
      <FilterBar
        search={{ label: t('Search prefixes'), value: state.q, onValueChange: state.setQ }}
        fields={fields}
        onClear={state.clear}
      >
        {!searching && (
          <SegmentedControl
            label={t('View of prefixes')}
            value={view}
            onValueChange={(next) => void setView(next)}
            options={[
              { value: 'tree', label: t('Tree'), icon: <ListTree size={14} aria-hidden /> },
              { value: 'list', label: t('List'), icon: <List size={14} aria-hidden /> },
            ]}
          />
        )}
      </FilterBar>
      {searching || view === 'list' ? (
        <SubnetTable state={state} subnets={subnets} />
      ) : (
        <PrefixTree clusterId={filters.cluster_id} subnets={subnets} />
      )}
    </>
  );
}
