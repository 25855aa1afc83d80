'use client';
import { ChartNoAxesColumn } from 'lucide-react';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { SegmentedControl } from '@/ui/segmented-control';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, inUrl } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { tenantFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { usePermissions } from '../shared/use-permissions';
import { workloadCoverageColumns } from './coverage-columns';

const DAYS = ['1', '7', '30', '90'] as const;
const DEFAULT_DAYS = '7';

/** Counting runs every minute, without a notification. */
const REFETCH_MS = 60_000;

const COVERAGE = declareList({
  from: 'coverage.workloads',
  name: 'coverage',
  title: msg('Coverage'),
  label: msg('Coverage'),
  noun: { one: msg('workload'), many: msg('workloads') },
  search: msg('Search workloads'),
  sorts: ['workload_name', 'flows', 'covered_share'],
  defaultSort: 'covered_share',
  filters: {
    days: inUrl(DAYS),
    cluster_id: CLUSTER,
    tenant_id: tenantFilter('flow:read'),
  },
  ask: ({ days = DEFAULT_DAYS, ...asked }) => ({ ...asked, days: Number(days) }),
  columns: workloadCoverageColumns,
  refetchMs: REFETCH_MS,
  rowId: (row) => row.workload_id,
  rowPath: (row) => paths.workload({ workloadId: row.workload_id, tab: 'traffic' }),
  empty: ({ can }) => ({
    icon: <ChartNoAxesColumn />,
    title: msg('No workloads yet'),
    text: msg(
      'Workloads appear here after the first sync. Their traffic is counted if an agent reports from their node.',
    ),
    link: can('agent:read') ? { label: msg('Show agents'), href: paths.agents() } : null,
  }),
});

/** By what the traffic of each workload is decided, the least covered first. */
export function CoverageList() {
  const t = useT();
  const { can } = usePermissions();
  const list = useList(COVERAGE);
  return (
    <ListView
      of={list}
      actions={
        can('policy:read') && (
          <Link className={buttonClass()} href={paths.hygiene()}>
            {t('Rule hygiene')}
          </Link>
        )
      }
      description={t(
        "Share of each workload's conversations that match a rule. Traffic that matches no rule gets the default policy.",
      )}
    >
      <SegmentedControl
        label={t('Days')}
        value={list.state.filters.days ?? DEFAULT_DAYS}
        onValueChange={(value) => list.state.setFilter('days', value === DEFAULT_DAYS ? null : value)}
        options={DAYS.map((value) => ({
          value,
          label: value === '1' ? t('Today') : t('{n, plural, one {# day} other {# days}}', { n: Number(value) }),
        }))}
      />
    </ListView>
  );
}
