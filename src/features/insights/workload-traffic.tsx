'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { TRAFFIC_MODES } from '@/domain/choices';
import { formatBytes } from '@/lib/format';
import { translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { FilterBar } from '@/ui/filter-bar';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { QueryView } from '../shared/query-view';
import { expiredRange } from '../shared/time-range';
import { TimeRangeControl } from '../shared/time-range-control';
import { ActiveRules } from './active-rules';
import { MODE_OPTIONS } from './context-labels';
import { CoverageShare } from './coverage-share';
import { Decisions } from './decisions';
import { Evidence } from './evidence';
import { TopPeers, TopPorts } from './peers-and-ports';
import { TrafficChart } from './traffic-chart';
import { TrafficList } from './traffic-list';
import { type TrafficView, useTrafficView } from './use-traffic-view';

/** A workload's traffic with its peers, and what decides it: over time, as totals, flow by flow, and by rule. */
export function WorkloadTraffic({ workloadId }: { workloadId: string }) {
  const t = useT();
  const view = useTrafficView(workloadId);
  return (
    <>
      <Controls view={view} />
      {view.reversed ? (
        <Notice
          tone="warn"
          title={t('The time range ends before it begins')}
          action={
            <Button size="sm" onClick={() => view.setFilters({ since: null, until: null })}>
              {t('Show last hour')}
            </Button>
          }
        />
      ) : (
        <>
          <TrafficChart view={view} />
          <Evidence view={view} />
          <div className="grid gap-4 lg:grid-cols-2">
            <Decisions view={view} />
            <CoverageShare workloadId={workloadId} />
          </div>
          <Overview view={view} />
        </>
      )}
    </>
  );
}

function Controls({ view }: { view: TrafficView }) {
  const t = useT();
  const { filters } = view;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FilterBar
        fields={[
          {
            id: 'traffic_mode',
            label: t('Traffic'),
            single: true,
            options: translateOptions(t, MODE_OPTIONS.slice(1)),
            value: view.mode === 'all' ? [] : [view.mode],
            onValueChange: ([mode]) =>
              view.setFilter('traffic_mode', TRAFFIC_MODES.find((one) => one === mode && one !== 'all') ?? null),
          },
        ]}
        common={['traffic_mode']}
      />
      <span className="ml-auto flex flex-wrap gap-2">
        <Button icon={<RefreshCw size={14} />} onClick={view.refresh}>
          {t('Refresh')}
        </Button>
        <TimeRangeControl
          range={filters.range}
          since={filters.since}
          until={filters.until}
          onChange={(time) => view.setFilters(time)}
        />
      </span>
    </div>
  );
}

function Overview({ view }: { view: TrafficView }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.insights.summary.queryOptions(view.asked),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  return (
    <>
      <QueryView query={query} skeleton={<Skeleton className="h-40 w-full" />}>
        {({ summary, traffic, kept_since }) => (
          <>
            <p className="text-muted tabular-nums">
              {t('Traffic in this time range: {inbound} inbound, {outbound} outbound.', {
                inbound: formatBytes(traffic.bytes_in),
                outbound: formatBytes(traffic.bytes_out),
              })}{' '}
              {t(
                'Peers and services below count {n, plural, one {# whole conversation} other {# whole conversations}}, including traffic before this time range.',
                { n: summary.conversations },
              )}
            </p>
            <div className="grid gap-4 lg:grid-cols-2">
              <TopPeers
                workloadId={view.asked.id}
                summary={summary}
                expired={expiredRange(view.asked.until, kept_since) !== null}
                onNarrow={view.narrow}
              />
              <TopPorts
                workloadId={view.asked.id}
                summary={summary}
                expired={expiredRange(view.asked.until, kept_since) !== null}
                onNarrow={view.narrow}
              />
            </div>
          </>
        )}
      </QueryView>
      <TrafficList view={view} workload={query.data?.workload} />
      {query.data && <ActiveRules overview={query.data} />}
    </>
  );
}
