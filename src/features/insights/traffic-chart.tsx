'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { formatBytes } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { TimeChart } from '@/ui/chart/time-chart';
import { ErrorState } from '@/ui/error-state';
import { SegmentedControl } from '@/ui/segmented-control';
import { Skeleton } from '@/ui/skeleton';
import { flowChartData } from '../shared/flows/flow-chart-data';
import { METRIC_OPTIONS, METRICS } from '../shared/flows/flow-metric';
import { countText } from '../shared/flows/flow-words';
import type { TrafficView } from './use-traffic-view';

/** The workload's traffic over time by what the firewall's log says. Marking a part of it looks closer. */
export function TrafficChart({ view }: { view: TrafficView }) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.insights.series.queryOptions(view.asked), placeholderData: keepPreviousData });
  const metric = view.filters.metric ?? METRICS[0];
  if (query.error && !query.data) {
    return (
      <div className="rounded-lg border bg-surface">
        <ErrorState problem={failureOf(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
      </div>
    );
  }
  if (!query.data) return <Skeleton className="h-60 w-full" />;
  const { buckets, lines, format } = flowChartData(query.data, metric);
  const { sums } = query.data;
  return (
    <section aria-label="Traffic over time" className="rounded-lg border bg-surface p-3">
      <TimeChart
        label="Traffic over time"
        buckets={buckets}
        series={lines}
        format={format}
        empty="No traffic in this time."
        onSelect={({ since, until }) =>
          view.setFilters({
            since: new Date(since).toISOString(),
            until: new Date(until).toISOString(),
            range: null,
          })
        }
      >
        <SegmentedControl
          label="Measure"
          value={metric}
          onValueChange={(next) => view.setFilter('metric', next === METRICS[0] ? null : next)}
          options={METRIC_OPTIONS}
        />
        <p className="text-muted tabular-nums">
          {formatBytes(sums.bytes)}, {countText(sums.packets, 'packet')}, {countText(sums.flows, 'new flow')}
        </p>
      </TimeChart>
    </section>
  );
}
