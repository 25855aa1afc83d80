'use client';
import type { Topology } from '@/domain/topology/topology';
import { useT } from '@/lib/i18n/use-t';
import { FilterBar } from '@/ui/filter-bar';
import { FilterChip } from '../shared/filter-chip';
import { useClusterOptions } from '../shared/use-cluster-options';
import { countVerdicts, MAP_GROUPINGS } from './map-model';
import { GROUPING_LABELS } from './topology-words';
import type { TopologyState } from './use-topology-view';
import { VerdictLegend } from './verdict-legend';

/** What is shown of the map, and the legend. */
export function TopologyFilters({ view, topology }: { view: TopologyState; topology: Topology | undefined }) {
  const t = useT();
  const clusters = useClusterOptions();
  const { filters } = view;
  const focused = topology?.workloads.find(({ id }) => id === filters.workload_id);
  return (
    <>
      <FilterBar
        search={{ label: t('Find on the map'), value: view.q, onValueChange: view.setQ }}
        facets={[
          {
            id: 'group',
            label: t('Group by'),
            single: true,
            options: MAP_GROUPINGS.map((value) => ({ value, label: t(GROUPING_LABELS[value]) })),
            value: [view.grouping],
            onValueChange: ([value]) =>
              view.setFilter('group', MAP_GROUPINGS.find((one) => one === value && one !== 'network') ?? null),
          },
          {
            id: 'busy',
            label: t('Workloads'),
            single: true,
            options: [{ value: 'true', label: t('With connections only') }],
            value: filters.busy ? ['true'] : [],
            onValueChange: ([value]) => view.setFilter('busy', value === 'true' || null),
          },
          ...(clusters.length > 1 || filters.cluster_id
            ? [
                {
                  id: 'cluster_id',
                  label: t('Cluster'),
                  single: true,
                  options: clusters,
                  value: filters.cluster_id ? [filters.cluster_id] : [],
                  onValueChange: ([value]: string[]) => view.setFilter('cluster_id', value ?? null),
                },
              ]
            : []),
        ]}
      >
        {filters.workload_id && (
          <FilterChip
            label={t('Neighbours of')}
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
