'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/lib/trpc';
import { METRICS } from '../shared/flows/flow-chart-data';
import { FlowSeriesChart, FlowSeriesSkeleton } from '../shared/flows/flow-series-chart';
import { QueryView } from '../shared/query-view';
import type { TrafficView } from './use-traffic-view';

/** The workload's traffic over time by what the firewall's log says. Marking a part of it looks closer. */
export function TrafficChart({ view }: { view: TrafficView }) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.insights.series.queryOptions(view.asked), placeholderData: keepPreviousData });
  return (
    <QueryView query={query} skeleton={<FlowSeriesSkeleton />}>
      {(series) => (
        <FlowSeriesChart
          series={series}
          metric={view.filters.metric ?? METRICS[0]}
          onMetricChange={(next) => view.setFilter('metric', next === METRICS[0] ? null : next)}
          onSelect={(range) => view.setFilters({ ...range, range: null })}
        />
      )}
    </QueryView>
  );
}
