'use client';
import { useQuery } from '@tanstack/react-query';
import type { Topology } from '@/domain/topology/topology';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { FilterChip } from '@/ui/facet';
import { FilterBar } from '@/ui/filter-bar';
import type { Option } from '@/ui/option';
import { entity, entityOrNone, flag } from '../shared/list/filters';
import { useFacets } from '../shared/list/use-facets';
import { useProjectFacet } from '../shared/project-options';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { countVerdicts } from './map-model';
import type { TopologyState } from './use-topology-view';
import { VerdictLegend } from './verdict-legend';

const MOST = 500;
const NO_OPTIONS: readonly Option[] = [];

/** Policies within reach by name. */
function usePolicyOptions(): readonly Option[] {
  const trpc = useTRPC();
  const { can } = usePermissions();
  const { data } = useQuery({
    ...trpc.policies.list.queryOptions({ sort: 'name', limit: MOST }),
    enabled: can('policy:read'),
    select: ({ items }) => items.map(({ id, name }) => ({ value: id, label: name })),
  });
  return data ?? NO_OPTIONS;
}

const FILTERS = {
  project_id: entityOrNone(msg('Project'), useProjectFacet),
  policy_id: entity(msg('Policy'), usePolicyOptions),
  cluster_id: entity(msg('Cluster'), useClusterOptions, 2),
  busy: flag(msg('Connections'), [[true, msg('With connections only')]]),
};

/** What is shown of the map, and the legend. */
export function TopologyFilters({ view, topology }: { view: TopologyState; topology: Topology | undefined }) {
  const t = useT();
  const { filters } = view;
  const facets = useFacets(FILTERS, view);
  const tags = (topology?.tags ?? []).map((tag) => ({ value: tag, label: tag }));
  const focused = topology?.workloads.find(({ id }) => id === filters.workload_id);
  const tag = {
    id: 'tag',
    label: t('Tag'),
    single: true,
    options: tags,
    value: filters.tag === null ? [] : [filters.tag],
    onValueChange: ([chosen]: string[]) => view.setFilter('tag', chosen ?? null),
  };
  return (
    <>
      <FilterBar
        search={{ label: t('Find on map'), value: view.q, onValueChange: view.setQ }}
        facets={[tag, ...facets]}
        onClear={view.clearFilters}
      >
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
