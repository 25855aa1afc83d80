'use client';
import type { Topology } from '@/domain/topology/topology';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { FilterBar } from '@/ui/filter-bar';
import { entity, flag, searched } from '../shared/list/filters';
import { POLICY, PROJECT } from '../shared/list/sources';
import { useFilterFields } from '../shared/list/use-filter-fields';
import { useClusterOptions } from '../shared/use-cluster-options';
import { countVerdicts } from './map-model';
import type { TopologyState } from './use-topology-view';
import { VerdictLegend } from './verdict-legend';

const FILTERS = {
  project_id: searched(msg('Project'), 'id_or_none', PROJECT, msg('Without project')),
  policy_id: searched(msg('Policy'), 'id', POLICY),
  cluster_id: entity(msg('Cluster'), useClusterOptions, 2),
  busy: flag(msg('Connections'), [[true, msg('With connections only')]]),
};

/** What is shown of the map, and the legend. */
export function TopologyFilters({ view, topology }: { view: TopologyState; topology: Topology | undefined }) {
  const t = useT();
  const { filters } = view;
  const fields = useFilterFields(FILTERS, view);
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
  const neighbors = filters.workload_id
    ? [
        {
          id: 'workload_id',
          label: t('Neighbors of'),
          single: true,
          options: [{ value: filters.workload_id, label: focused?.name ?? t('a workload') }],
          value: [filters.workload_id],
          onValueChange: () => view.setFilter('workload_id', null),
        },
      ]
    : [];
  return (
    <>
      <FilterBar
        search={{ label: t('Find on map'), value: view.q, onValueChange: view.setQ }}
        fields={[...fields.slice(0, 1), tag, ...fields.slice(1), ...neighbors]}
        common={['project_id', 'tag', 'policy_id']}
        onClear={view.clearFilters}
      />
      {topology && (
        <VerdictLegend counts={countVerdicts(topology)} shown={view.verdicts} onToggle={view.toggleVerdict} />
      )}
    </>
  );
}
