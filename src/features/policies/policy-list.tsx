'use client';
import { Plus, ShieldCheck } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { POLICY_SORTS } from '@/domain/policies';
import { ENFORCEMENT_MODES } from '@/domain/policy/policy';
import { SHOWN_STATUSES } from '@/domain/policy/status';
import { POLICY_TIERS } from '@/domain/policy/tier';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { useCommands } from '@/ui/command-registry';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { STATUS_WORDS } from '../shared/deployment-words';
import { MODE_WORDS } from '../shared/enforcement-mode';
import { FilterChip } from '../shared/filter-chip';
import { useListState } from '../shared/list-state';
import { TIER_LABELS } from '../shared/tier-labels';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useProjectFacet } from '../shared/use-project-options';
import { useServerList } from '../shared/use-server-list';
import { ApplyPendingButton } from './apply/apply-pending-button';
import { policyColumns } from './policy-columns';

const LIST = {
  sorts: POLICY_SORTS,
  defaultSort: 'order',
  filters: {
    shown_status: SHOWN_STATUSES,
    enforcement_mode: ENFORCEMENT_MODES,
    enabled: 'flag',
    tier: POLICY_TIERS,
    cluster_id: 'id',
    project_id: 'id_or_none',
    workload_id: 'id',
  },
} as const;

/** All policies: what they say in one line, and how far each is in force. */
export function PolicyList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { reason } = usePermissions();
  const state = useListState(LIST);
  const { filters } = state;
  const clusters = useClusterOptions();
  const projects = useProjectFacet();
  const columns = useMemo(() => policyColumns(t), [t]);
  const list = useServerList({
    name: 'policies',
    columns,
    state,
    pathKey: trpc.policies.list.pathKey(),
    fetchPage: (page, signal) => client.policies.list.query({ ...state.input, ...page }, { signal }),
  });
  const writeReason = reason('policy:write');
  useCommands(
    useMemo(
      () =>
        writeReason === null
          ? [
              {
                id: 'policies.new',
                label: t('Create policy'),
                group: t('Policies'),
                icon: <Plus />,
                run: () => router.push(paths.newPolicy()),
              },
            ]
          : [],
      [t, writeReason, router],
    ),
  );
  const create = (
    <Button
      variant="primary"
      icon={<Plus size={14} />}
      onClick={() => router.push(paths.newPolicy())}
      disabledReason={writeReason}
    >
      {t('Create policy')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('Policies')}
        actions={
          <>
            <ApplyPendingButton />
            {create}
          </>
        }
      />
      <FilterBar
        search={{ label: t('Search policies'), value: state.q, onValueChange: state.setQ }}
        facets={[
          {
            id: 'shown_status',
            label: t('Status'),
            single: true,
            options: SHOWN_STATUSES.map((value) => ({ value, label: t(STATUS_WORDS[value].word) })),
            value: filters.shown_status ? [filters.shown_status] : [],
            onValueChange: ([value]) =>
              state.setFilter('shown_status', SHOWN_STATUSES.find((status) => status === value) ?? null),
          },
          {
            id: 'enforcement_mode',
            label: t('Mode'),
            single: true,
            options: ENFORCEMENT_MODES.map((value) => ({ value, label: t(MODE_WORDS[value].label) })),
            value: filters.enforcement_mode ? [filters.enforcement_mode] : [],
            onValueChange: ([value]) =>
              state.setFilter('enforcement_mode', ENFORCEMENT_MODES.find((mode) => mode === value) ?? null),
          },
          {
            id: 'enabled',
            label: t('Enabled'),
            single: true,
            options: [
              { value: 'true', label: t('Enabled') },
              { value: 'false', label: t('Disabled') },
            ],
            value: filters.enabled === null ? [] : [String(filters.enabled)],
            onValueChange: ([value]) => state.setFilter('enabled', value === undefined ? null : value === 'true'),
          },
          {
            id: 'tier',
            label: t('Evaluation'),
            single: true,
            options: POLICY_TIERS.map((value) => ({ value, label: t(TIER_LABELS[value].label) })),
            value: filters.tier ? [filters.tier] : [],
            onValueChange: ([value]) => state.setFilter('tier', POLICY_TIERS.find((tier) => tier === value) ?? null),
          },
          {
            id: 'cluster_id',
            label: t('Cluster'),
            single: true,
            options: clusters,
            value: filters.cluster_id ? [filters.cluster_id] : [],
            onValueChange: ([value]) => state.setFilter('cluster_id', value ?? null),
          },
          ...(projects.length > 1
            ? [
                {
                  id: 'project_id',
                  label: t('Project'),
                  single: true,
                  options: projects,
                  value: filters.project_id ? [filters.project_id] : [],
                  onValueChange: ([value]: string[]) => state.setFilter('project_id', value ?? null),
                },
              ]
            : []),
        ]}
        onClear={state.clear}
      >
        {filters.workload_id && (
          <FilterChip label={t('At workload')} value={t('one')} onRemove={() => state.setFilter('workload_id', null)} />
        )}
      </FilterBar>
      <DataTable
        {...list}
        id="policies"
        label={t('Policies')}
        noun={{ one: t('policy'), many: t('policies') }}
        rowId={(policy) => policy.id}
        onRowOpen={(policy) => router.push(paths.policy({ policyId: policy.id }))}
        empty={
          <EmptyState
            icon={<ShieldCheck />}
            title={t('No policies yet')}
            action={
              <>
                <Link className={buttonClass()} href={paths.securityGroups()}>
                  {t('Look at security groups')}
                </Link>
                {create}
              </>
            }
          >
            {t(
              'A policy says who may reach whom, and on which ports. A new one starts in audit mode: it changes no guest until you enforce and apply it.',
            )}
          </EmptyState>
        }
      />
    </>
  );
}
