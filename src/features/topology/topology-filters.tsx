'use client';
import type { Topology } from '@/domain/topology/topology';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { FilterChip } from '@/ui/facet';
import { FilterBar } from '@/ui/filter-bar';
import { choice, entity, flag } from '../shared/list/filters';
import { useFacets } from '../shared/list/use-facets';
import { useClusterOptions } from '../shared/use-cluster-options';
import { countVerdicts, MAP_GROUPINGS } from './map-model';
import { GROUPING_LABELS } from './topology-labels';
import type { TopologyState } from './use-topology-view';
import { VerdictLegend } from './verdict-legend';

const FILTERS = {
  group: choice(msg('Group by'), MAP_GROUPINGS, (one) => GROUPING_LABELS[one]),
  busy: flag(msg('Workloads'), [[true, msg('With connections only')]]),
  cluster_id: entity(msg('Cluster'), useClusterOptions, 2),
};

/** What is shown of the map, and the legend. */
export function TopologyFilters({ view, topology }: { view: TopologyState; topology: Topology | undefined }) {
  const t = useT();
  const facets = useFacets(FILTERS, {
    filters: { ...view.filters, group: view.grouping },
    // The first grouping is the one that nobody has to choose.
    setFilters: ({ group, ...values }) =>
      view.setFilters({ ...values, ...(group !== undefined && { group: group === MAP_GROUPINGS[0] ? null : group }) }),
  });
  const { filters } = view;
  const focused = topology?.workloads.find(({ id }) => id === filters.workload_id);
  return (
    <>
      <FilterBar search={{ label: t('Find on map'), value: view.q, onValueChange: view.setQ }} facets={facets}>
        {filters.workload_id && (
          <FilterChip
            label={t('Neighbors of')}
            value={focused?.name ?? t('a workload')}
            onRemove={() => view.setFilter('workload_id', null)}
          />
        )}
      </FilterBar>
      {topology && (
        <VerdictLegend counts={countVerdicts(topology)} shown={view.verdicts} onToggle={view.toggleVerdict} />
      )}
    </>
  );
}
