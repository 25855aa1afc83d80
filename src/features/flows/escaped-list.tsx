'use client';
import { ShieldCheck } from 'lucide-react';
import { ESCAPE_REASONS, ESCAPED_SORTS } from '@/domain/choices';
import { CHAIN_LINKS } from '@/domain/enforcement-chain/link-details';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { SegmentedControl } from '@/ui/segmented-control';
import { ESCAPE_LABELS, LINK_LABELS } from '../shared/enforcement-labels';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, choice, inUrl, searched, several } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { PROJECT, WORKLOAD } from '../shared/list/sources';
import { tenantFilter } from '../shared/list/tenant-filter';
import { useList } from '../shared/list/use-list';
import { escapedColumns } from './escaped-columns';

const DAYS = ['1', '7'] as const;
const DEFAULT_DAYS = '7';

/** Flows are evaluated every minute, without a notification. */
const REFETCH_MS = 60_000;

const ESCAPED = declareList({
  from: 'flows.escaped',
  name: 'escaped-traffic',
  title: msg('Escaped traffic'),
  label: msg('Escaped traffic'),
  noun: { one: msg('conversation'), many: msg('conversations') },
  search: msg('Search workloads, addresses, ports'),
  sorts: ESCAPED_SORTS,
  defaultSort: '-last_seen_at',
  filters: {
    days: inUrl(DAYS),
    reason: several(msg('Likely reason'), ESCAPE_REASONS, (one) => ESCAPE_LABELS[one]),
    broken_link: choice(msg('Broken link'), CHAIN_LINKS, (one) => LINK_LABELS[one]),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
    cluster_id: CLUSTER,
    tenant_id: tenantFilter('flow:read'),
    project_id: searched(msg('Project'), 'id', PROJECT),
  },
  common: ['reason'],
  ask: ({ days = DEFAULT_DAYS, ...asked }) => ({ ...asked, days: Number(days) }),
  columns: escapedColumns,
  refetchMs: REFETCH_MS,
  rowId: (one) => one.id,
  rowPath: (one) => paths.workload({ workloadId: one.workload_id, tab: 'firewall' }),
  empty: ({ can }) => ({
    icon: <ShieldCheck />,
    title: msg('No escaped traffic found'),
    text: msg(
      'Conversations appear here if they passed although the rules that were live then deny them. Only nodes with an agent are monitored.',
    ),
    link: can('agent:read') ? { label: msg('Show agents'), href: paths.agents() } : null,
  }),
});

/** Conversations of all visible workloads that passed although rules deny them, the last seen first. */
export function EscapedList() {
  const t = useT();
  const list = useList(ESCAPED);
  return (
    <ListView of={list} description={t('Conversations passed although the rules that were live then deny them.')}>
      <SegmentedControl
        label={t('Days')}
        value={list.state.filters.days ?? DEFAULT_DAYS}
        onValueChange={(value) => list.state.setFilter('days', value === DEFAULT_DAYS ? null : value)}
        options={DAYS.map((value) => ({
          value,
          label: t('{n, plural, one {# day} other {# days}}', { n: Number(value) }),
        }))}
      />
    </ListView>
  );
}
