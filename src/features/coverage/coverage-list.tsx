'use client';
import { ChartNoAxesColumn } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { PageHeader } from '@/ui/page-header';
import { SegmentedControl } from '@/ui/segmented-control';
import { useListState } from '../shared/list-state';
import { NO_TENANT } from '../shared/tenant-options';
import { useClusterOptions } from '../shared/use-cluster-options';
import { usePermissions } from '../shared/use-permissions';
import { useServerList } from '../shared/use-server-list';
import { useTenantOptions } from '../shared/use-tenant-options';
import { workloadCoverageColumns } from './coverage-columns';

const DAYS = ['1', '7', '30', '90'] as const;
const DEFAULT_DAYS = '7';

const LIST = {
  sorts: ['workload_name', 'flows', 'covered_share'],
  defaultSort: 'covered_share',
  filters: { days: DAYS, cluster_id: 'id', tenant_id: 'id' },
} as const;

/** Counting runs every minute, and nobody is told. */
const REFETCH_MS = 60_000;

/** By what the traffic of each workload is decided, the least covered first. */
export function CoverageList() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const { can } = usePermissions();
  const state = useListState(LIST);
  const { days: _, ...input } = state.input as { days?: string };
  const days = state.filters.days ?? DEFAULT_DAYS;
  const clusters = useClusterOptions();
  const tenants = useTenantOptions('flow:read').filter(({ value }) => value !== NO_TENANT);
  const columns = useMemo(() => workloadCoverageColumns(t), [t]);
  const fixed = { days: Number(days) };
  const list = useServerList({
    name: 'coverage',
    columns,
    state,
    pathKey: trpc.coverage.workloads.pathKey(),
    fixed,
    refetchMs: REFETCH_MS,
    fetchPage: (page, signal) => client.coverage.workloads.query({ ...input, ...fixed, ...page }, { signal }),
  });
  return (
    <>
      <PageHeader
        title={t('Coverage')}
        description={t(
          "Which share of each workload's conversations rules decide. What nobody decides about lives on the default.",
        )}
      />
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
          {
            id: 'tenant_id',
            label: t('Tenant'),
            single: true,
            options: tenants,
            value: state.filters.tenant_id ? [state.filters.tenant_id] : [],
            onValueChange: ([value]) => state.setFilter('tenant_id', value ?? null),
          },
        ]}
        onClear={state.clear}
      >
        <SegmentedControl
          label={t('Days')}
          value={days}
          onValueChange={(value) => state.setFilter('days', value === DEFAULT_DAYS ? null : value)}
          options={DAYS.map((value) => ({
            value,
            label: value === '1' ? t('Today') : t('{n, plural, one {# day} other {# days}}', { n: Number(value) }),
          }))}
        />
      </FilterBar>
      <DataTable
        {...list}
        id="coverage"
        label={t('Coverage')}
        noun={{ one: t('workload'), many: t('workloads') }}
        rowId={(row) => row.workload_id}
        onRowOpen={(row) => router.push(paths.workload({ workloadId: row.workload_id, tab: 'traffic' }))}
        empty={
          <EmptyState
            icon={<ChartNoAxesColumn />}
            title={t('No workloads yet')}
            action={
              can('agent:read') && (
                <Link className={buttonClass()} href={paths.agents()}>
                  {t('Look at the agents')}
                </Link>
              )
            }
          >
            {t(
              'Workloads appear here as soon as they are known; their traffic is counted where an agent reports from their node.',
            )}
          </EmptyState>
        }
      />
    </>
  );
}
