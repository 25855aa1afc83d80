'use client';
import { Box } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { PROTECTIONS } from '@/domain/firewall/protection';
import {
  WORKLOAD_ENFORCEMENTS,
  WORKLOAD_KINDS,
  WORKLOAD_SORTS,
  WORKLOAD_STATUSES,
  type Workload,
} from '@/domain/inventory';
import { MAX_ASSIGNED } from '@/domain/project';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { FilterChip } from '../shared/filter-chip';
import { ENFORCEMENT_LABELS, KIND_LABELS, PROTECTION_STATES, WORKLOAD_STATES } from '../shared/inventory-states';
import { useListState } from '../shared/list-state';
import { ProjectChip } from '../shared/project-chip';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { AssignProjectDialog } from './assign-project-dialog';
import { useAllMatching } from './use-all-matching';
import { useAssignProject } from './use-assign-project';
import { workloadColumns } from './workload-columns';

const LIST = {
  sorts: WORKLOAD_SORTS,
  defaultSort: 'name',
  filters: {
    status: WORKLOAD_STATUSES,
    kind: WORKLOAD_KINDS,
    cluster_id: 'id',
    tag: 'text',
    pool: 'text',
    project_id: 'id_or_none',
    template: 'flag',
    missing: 'flag',
    enforcement: WORKLOAD_ENFORCEMENTS,
    protection: { several: PROTECTIONS },
  },
} as const;

const choices = (t: Translate) => ({
  status: WORKLOAD_STATUSES.map((value) => ({ value, label: t(WORKLOAD_STATES[value].word) })),
  protection: PROTECTIONS.map((value) => ({ value, label: t(PROTECTION_STATES[value].word) })),
  kind: WORKLOAD_KINDS.map((value) => ({ value, label: t(KIND_LABELS[value]) })),
});

/** Restricts the table to what hangs off one thing, on the page of that thing. */
export type WorkloadTableScope = { cluster_id: string } | { node_id: string } | { network_id: string };

const NO_SCOPE = {};

/** Virtual machines and containers with search and filters. */
export function WorkloadTable({ within }: { within?: WorkloadTableScope }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const assigning = useAssignProject();
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [assigned, setAssigned] = useState<{ what: string; ids: readonly string[] } | null>(null);
  const scope = within ?? NO_SCOPE;
  const oneCluster = within !== undefined;
  const options = useMemo(() => choices(t), [t]);
  const columns = useMemo(() => {
    const hidden = new Set([
      ...(within && !('network_id' in within) ? ['cluster_name'] : []),
      ...(within && 'node_id' in within ? ['node_name'] : []),
    ]);
    return workloadColumns(t).filter((column) => !hidden.has(column.id));
  }, [within, t]);
  const list = useServerList({
    name: 'workloads',
    columns,
    state,
    pathKey: trpc.workloads.list.pathKey(),
    fixed: scope,
    fetchPage: (page, signal) => client.workloads.list.query({ ...state.input, ...scope, ...page }, { signal }),
  });
  const chosen = useMemo(() => list.rows.filter((row) => selection.has(row.id)), [list.rows, selection]);
  // A row that is gone, or filtered away, is not chosen any more.
  const selected = useMemo(() => new Set(chosen.map((row) => row.id)), [chosen]);
  const matching = useAllMatching({ ...state.input, ...scope });
  const select = (next: ReadonlySet<string>) => {
    matching.clear();
    setSelection(next);
  };
  const ids = matching.ids ?? chosen.map(({ id }) => id);
  const total = list.total ?? 0;
  return (
    <>
      <FilterBar
        search={{ label: t('Search workloads'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'status',
            label: t('Status'),
            single: true,
            options: options.status,
            value: filters.status ? [filters.status] : [],
            onValueChange: ([value]) =>
              state.setFilter('status', WORKLOAD_STATUSES.find((status) => status === value) ?? null),
          },
          {
            id: 'kind',
            label: t('Kind'),
            single: true,
            options: options.kind,
            value: filters.kind ? [filters.kind] : [],
            onValueChange: ([value]) => state.setFilter('kind', WORKLOAD_KINDS.find((kind) => kind === value) ?? null),
          },
          ...(oneCluster
            ? []
            : [
                {
                  id: 'cluster_id',
                  label: t('Cluster'),
                  single: true,
                  options: clusters,
                  value: filters.cluster_id ? [filters.cluster_id] : [],
                  onValueChange: ([value]: string[]) => state.setFilter('cluster_id', value ?? null),
                },
              ]),
          {
            id: 'project_id',
            label: t('Project'),
            single: true,
            options: [{ value: 'none', label: t('Without project') }],
            value: filters.project_id === 'none' ? ['none'] : [],
            onValueChange: ([value]) => state.setFilter('project_id', value ?? null),
          },
          {
            id: 'protection',
            label: t('Protection'),
            options: options.protection,
            value: filters.protection ?? [],
            onValueChange: (values) => {
              const chosen = PROTECTIONS.filter((one) => values.includes(one));
              state.setFilter('protection', chosen.length > 0 ? chosen : null);
            },
          },
          {
            id: 'template',
            label: t('Templates'),
            single: true,
            options: [
              { value: 'false', label: t('Without templates') },
              { value: 'true', label: t('Only templates') },
            ],
            value: filters.template === null ? [] : [String(filters.template)],
            onValueChange: ([value]) => state.setFilter('template', value === undefined ? null : value === 'true'),
          },
          {
            id: 'missing',
            label: t('Presence'),
            single: true,
            options: [
              { value: 'true', label: t('Missing from the cluster') },
              { value: 'false', label: t('Present') },
            ],
            value: filters.missing === null ? [] : [String(filters.missing)],
            onValueChange: ([value]) => state.setFilter('missing', value === undefined ? null : value === 'true'),
          },
        ]}
        onClear={state.clear}
      >
        {filters.enforcement && (
          <FilterChip
            label={t('Firewall')}
            value={t(ENFORCEMENT_LABELS[filters.enforcement])}
            onRemove={() => state.setFilter('enforcement', null)}
          />
        )}
        {filters.tag && (
          <FilterChip label={t('Tag')} value={filters.tag} onRemove={() => state.setFilter('tag', null)} />
        )}
        {filters.pool && (
          <FilterChip label={t('Pool')} value={filters.pool} onRemove={() => state.setFilter('pool', null)} />
        )}
        {filters.project_id && (
          <ProjectChip projectId={filters.project_id} onRemove={() => state.setFilter('project_id', null)} />
        )}
      </FilterBar>
      <DataTable
        {...list}
        id={within ? 'workloads-within' : 'workloads'}
        label={t('Workloads')}
        noun={{ one: t('workload'), many: t('workloads') }}
        rowId={(workload) => workload.id}
        onRowOpen={(workload) => router.push(paths.workload({ workloadId: workload.id }))}
        {...(assigning.possible && {
          selection: selected,
          onSelectionChange: select,
          bulkActions: (
            <>
              {matching.ids ? (
                <span>{t('All {n, number} that match', { n: matching.ids.length })}</span>
              ) : (
                chosen.length === list.rows.length &&
                total > chosen.length && (
                  <Button size="sm" variant="ghost" onClick={matching.choose} pending={matching.pending}>
                    {t('Select all {n, number}', { n: total })}
                  </Button>
                )
              )}
              <Button
                size="sm"
                onClick={() => setAssigned({ what: whatOf(t, ids, chosen), ids })}
                disabledReason={
                  ids.length > MAX_ASSIGNED &&
                  t('At most {n, number} at once. Narrow the list down.', { n: MAX_ASSIGNED })
                }
              >
                {t('Assign to project')}
              </Button>
            </>
          ),
        })}
        empty={<Nothing within={within} />}
      />
      {assigned && (
        <AssignProjectDialog
          what={assigned.what}
          workloadIds={assigned.ids}
          mayClear={assigning.mayClear}
          onClose={() => setAssigned(null)}
          onAssigned={() => select(new Set())}
        />
      )}
    </>
  );
}

const whatOf = (t: Translate, ids: readonly string[], [first]: readonly Workload[]) =>
  ids.length === 1 && first ? first.name : t('{n, plural, one {# workload} other {# workloads}}', { n: ids.length });

function Nothing({ within }: { within?: WorkloadTableScope }) {
  const t = useT();
  const { can } = usePermissions();
  if (within && 'network_id' in within) {
    return (
      <EmptyState title={t('Nothing is attached')}>{t('No network card of a workload uses this network.')}</EmptyState>
    );
  }
  if (within && 'node_id' in within) {
    return <EmptyState title={t('No workloads')}>{t('No virtual machine or container is on this node.')}</EmptyState>;
  }
  if (!can('cluster:read')) {
    return (
      <EmptyState icon={<Box />} title={t('No workloads yet')}>
        {t(
          'Those that are assigned to a project of your tenant appear here. Ask an administrator of the installation to assign them.',
        )}
      </EmptyState>
    );
  }
  const action = within ? null : (
    <Link className={buttonClass()} href={paths.clusters()}>
      {t('Go to clusters')}
    </Link>
  );
  return (
    <EmptyState icon={<Box />} title={t('No workloads yet')} action={action}>
      {within
        ? t('Virtual machines and containers appear with the first successful sync of this cluster.')
        : t('Virtual machines and containers appear with the first successful sync of a cluster.')}
    </EmptyState>
  );
}
