'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { formatBytes, formatDateTime } from '@/lib/format';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { TimeChart } from '@/ui/chart/time-chart';
import { ErrorState } from '@/ui/error-state';
import { SegmentedControl } from '@/ui/segmented-control';
import { Skeleton } from '@/ui/skeleton';
import { flowChartData } from '../shared/flows/flow-chart-data';
import { METRIC_OPTIONS, METRICS } from '../shared/flows/flow-metric';
import { countText } from '../shared/flows/flow-words';
import type { FlowView } from './use-flow-view';

/** A minute of difference comes from whole buckets; more means that something older is gone. */
const CUT_MS = 2 * 60_000;

/** Traffic over time by decision. Marking a part of it looks closer. */
export function FlowChart({ view, range }: { view: FlowView; range: { since: string; until?: string } }) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.flows.series.queryOptions({ ...view.filter, ...range }),
    placeholderData: keepPreviousData,
  });
  const metric = view.filters.metric ?? METRICS[0];
  if (query.error && !query.data) {
    return (
      <div className="rounded-lg border bg-surface">
        <ErrorState problem={failureOf(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
      </div>
    );
  }
  if (!query.data) return <Skeleton className="h-60 w-full" />;
  const series = query.data;
  const { buckets, lines, format } = flowChartData(series, metric);
  const cut = Date.parse(series.since) - Date.parse(range.since) > CUT_MS;
  const { sums } = series;
  const empty = lines.every(({ values }) => values.every((value) => value === 0));
  return (
    <section aria-label="Traffic over time" className="flex flex-col gap-1 rounded-lg border bg-surface p-3">
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
            live: null,
            refresh: null,
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
      {(cut || (series.source === 'flows' && !empty)) && (
        <p className="text-sm text-faint">
          {cut && `Nothing older than ${formatDateTime(series.since)} is kept for these filters. `}
          {series.source === 'flows' &&
            !empty &&
            'Estimated: with these filters, what a flow carried is spread evenly over the time it lasted.'}
        </p>
      )}
    </section>
  );
}
