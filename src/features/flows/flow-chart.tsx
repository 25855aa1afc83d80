'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { METRICS } from '../shared/flows/flow-chart-data';
import { FlowSeriesChart, FlowSeriesSkeleton } from '../shared/flows/flow-series-chart';
import { QueryView } from '../shared/query-view';
import type { FlowView } from './use-flow-view';

/** A minute of difference comes from whole buckets; more means that something older is gone. */
const CUT_MS = 2 * 60_000;

/** Traffic over time by decision. Marking a part of it looks closer. */
export function FlowChart({ view, range }: { view: FlowView; range: { since: string; until?: string } }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.flows.series.queryOptions({ ...view.flowFilter, ...range }),
    placeholderData: keepPreviousData,
  });
  return (
    <QueryView query={query} skeleton={<FlowSeriesSkeleton />}>
      {(series) => {
        const cut = Date.parse(series.since) - Date.parse(range.since) > CUT_MS;
        const hasTraffic = series.lines.some(({ flows }) => flows.some((value) => value !== 0));
        return (
          <FlowSeriesChart
            series={series}
            metric={view.filters.metric ?? METRICS[0]}
            onMetricChange={(next) => view.setFilter('metric', next === METRICS[0] ? null : next)}
            onSelect={(part) => view.setFilters({ ...part, range: null, live: null, refresh: null })}
          >
            {(cut || hasTraffic) && (
              <p className="text-sm text-faint">
                {[
                  cut &&
                    t('For these filters, data is available since {time}.', { time: formatDateTime(series.since) }),
                  hasTraffic &&
                    series.source === 'flows' &&
                    t("Estimated: with these filters, a flow's traffic is spread evenly over its duration."),
                  hasTraffic &&
                    series.source === 'conversations' &&
                    t("Estimated: with a filter, a conversation's traffic is spread evenly over its duration."),
                ]
                  .filter(Boolean)
                  .join(' ')}
              </p>
            )}
          </FlowSeriesChart>
        );
      }}
    </QueryView>
  );
}
