'use client';
import { CircleCheck } from 'lucide-react';
import { useRouter } from 'next/navigation';
import type { MappingConflict } from '@/domain/mapping-rule';
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
const overruledText = ({ rules }: MappingConflict) =>
  rules
    .slice(1)
    .filter((rule) => rule.project_id !== rules[0]?.project_id)
    .map((rule) => `${ruleName(rule)} → ${rule.project_name}`)
    .join(', ');

const COLUMNS = [
  make.text('name', 'Workload', (conflict) => conflict.name, {
    sortable: true,
    width: 170,
    grow: true,
    render: (conflict) => <WorkloadLink id={conflict.id} name={conflict.name} />,
  }),
  make.text('cluster_name', 'Cluster', (conflict) => conflict.cluster_name, {
    width: 130,
    render: (conflict) => <ClusterLink id={conflict.cluster_id} name={conflict.cluster_name} />,
  }),
  make.text('decides', 'Decides', ({ rules }) => (rules[0] ? ruleName(rules[0]) : ''), { width: 150 }),
  make.text('project_name', 'Project', placeText, { width: 180 }),
  make.text('overruled', 'Others would have it', overruledText, { width: 260, grow: true }),
];

/** Workloads that rules would give to different projects: which rule decides, and what the others wanted. */
export function MappingConflictTable() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const clusters = useClusterOptions();
  const list = useServerList({
    name: 'mapping-conflicts',
    columns: COLUMNS,
    state,
    pathKey: trpc.mappingRules.conflicts.pathKey(),
    fetchPage: (page, signal) => client.mappingRules.conflicts.query({ ...state.input, ...page }, { signal }),
  });
  return (
    <>
      <FilterBar
        search={{ label: 'Search workloads', value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'cluster_id',
            label: 'Cluster',
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
        label="Conflicts"
        noun={{ one: 'workload', many: 'workloads' }}
        rowId={(conflict) => conflict.id}
        onRowOpen={(conflict) => router.push(paths.workload({ workloadId: conflict.id }))}
        empty={
          <EmptyState icon={<CircleCheck />} title="No conflicts">
            No workload is matched by rules for different projects. If one were, the rule with the lowest priority would
            decide, then the one for its cluster alone, then the older one.
          </EmptyState>
        }
      />
    </>
  );
}
