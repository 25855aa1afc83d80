'use client';
import { CircleCheck } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { MappingConflict } from '@/domain/mapping-rule';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { ClusterLink, WorkloadLink } from '../../shared/inventory-links';
import { useListState } from '../../shared/list-state';
import { useClusterOptions } from '../../shared/use-cluster-options';
import { useServerList } from '../../shared/use-server-list';
import { ruleName } from './rule-words';

const LIST = { sorts: ['name'], defaultSort: 'name', filters: { cluster_id: 'id' } } as const;

const make = columnsOf<MappingConflict>();
const placeText = ({ rules }: MappingConflict) =>
  rules[0] ? `${rules[0].project_name} (${rules[0].tenant_name})` : '';
const overruledText = (t: Translate, { rules }: MappingConflict) =>
  rules
    .slice(1)
    .filter((rule) => rule.project_id !== rules[0]?.project_id)
    .map((rule) => `${ruleName(t, rule)} → ${rule.project_name}`)
    .join(', ');

const columnsIn = (t: Translate) => [
  make.text('name', t('Workload'), (conflict) => conflict.name, {
    sortable: true,
    width: 170,
    grow: true,
    render: (conflict) => <WorkloadLink id={conflict.id} name={conflict.name} />,
  }),
  make.text('cluster_name', t('Cluster'), (conflict) => conflict.cluster_name, {
    width: 130,
    render: (conflict) => <ClusterLink id={conflict.cluster_id} name={conflict.cluster_name} />,
  }),
  make.text('decides', t('Decides'), ({ rules }) => (rules[0] ? ruleName(t, rules[0]) : ''), { width: 150 }),
  make.text('project_name', t('Project'), placeText, { width: 180 }),
  make.text('overruled', t('Others would have it'), (conflict) => overruledText(t, conflict), {
    width: 260,
    grow: true,
  }),
];

/** Workloads that rules would give to different projects: which rule decides, and what the others wanted. */
export function MappingConflictTable() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const clusters = useClusterOptions();
  const columns = useMemo(() => columnsIn(t), [t]);
  const list = useServerList({
    name: 'mapping-conflicts',
    columns,
    state,
    pathKey: trpc.mappingRules.conflicts.pathKey(),
    fetchPage: (page, signal) => client.mappingRules.conflicts.query({ ...state.input, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        search={{ label: t('Search workloads'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'cluster_id',
            label: t('Cluster'),
            single: true,
            options: clusters,
            value: state.filters.cluster_id ? [state.filters.cluster_id] : [],
            onValueChange: ([value]) => state.setFilter('cluster_id', value ?? null),
          },
        ]}
        onClear={state.clear}
      />
      <DataTable
        {...list}
        id="mapping-conflicts"
        label={t('Conflicts')}
        noun={{ one: t('workload'), many: t('workloads') }}
        rowId={(conflict) => conflict.id}
        onRowOpen={(conflict) => router.push(paths.workload({ workloadId: conflict.id }))}
        empty={
          <EmptyState icon={<CircleCheck />} title={t('No conflicts')}>
            {t(
              'No workload is matched by rules for different projects. If one were, the rule with the lowest priority would decide, then the one for its cluster alone, then the older one.',
            )}
          </EmptyState>
        }
      />
    </>
  );
}
