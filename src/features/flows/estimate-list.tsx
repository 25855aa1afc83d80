'use client';
import { useQuery } from '@tanstack/react-query';
import { ChartPie } from 'lucide-react';
import { ESTIMATE_SORTS } from '@/domain/choices';
import type { FlowEstimateListInput } from '@/domain/collector/estimate';
import { HOUR_MS } from '@/domain/durations';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { declareList } from '../shared/list/declare-list';
import { CLUSTER, inUrl, searched } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { EXPORTER, WORKLOAD } from '../shared/list/sources';
import { useList } from '../shared/list/use-list';
import { resolveRange, SPANS, type TimeRange } from '../shared/time-range';
import { TimeRangeControl } from '../shared/time-range-control';
import { estimateColumns, formatEstimatedBytes, formatPackets } from './estimate-columns';

/** Estimates are of whole hours. */
const ESTIMATE_SPANS = SPANS.filter(({ value }) => value !== '15m');
const DEFAULT_RANGE = '24h';

/** The collector stores without a notification. */
const REFETCH_MS = 60_000;

/** The times that are asked for: the same ones until the next hour begins. */
function resolveHours({ range, since, until }: Partial<TimeRange>) {
  const now = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  return resolveRange({ range: range ?? DEFAULT_RANGE, since: since ?? null, until: until ?? null }, now);
}

const ESTIMATES = declareList({
  from: 'flows.estimates',
  name: 'estimates',
  title: msg('Estimates'),
  label: msg('Estimates'),
  noun: { one: msg('estimate'), many: msg('estimates') },
  sorts: ESTIMATE_SORTS,
  defaultSort: '-bytes',
  filters: {
    range: inUrl('span'),
    since: inUrl('time'),
    until: inUrl('time'),
    workload_id: searched(msg('Workload'), 'id', WORKLOAD),
    cluster_id: CLUSTER,
    flow_exporter_id: searched(msg('Exporter'), 'id', EXPORTER),
  },
  ask: ({ range, since, until, q: _, ...asked }) => ({ ...asked, ...resolveHours({ range, since, until }) }),
  columns: estimateColumns,
  refetchMs: REFETCH_MS,
  rowId: ({ id }) => id,
  empty: ({ can }) => ({
    icon: <ChartPie />,
    title: msg('No estimates in this time range'),
    text: msg('Estimates come from exporters that sample packets, such as switches with sFlow.'),
    link: can('agent:read') ? { label: msg('Flow exporters'), href: paths.flowExporters() } : null,
  }),
});

/** The totals of all rows, with their own error. */
function EstimateTotals({ input }: { input: Partial<FlowEstimateListInput> }) {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery({
    ...trpc.flows.estimates.queryOptions({ ...input, limit: 1 }),
    refetchInterval: REFETCH_MS,
  });
  if (!data || data.total === 0) return null;
  const { bytes, packets, samples, error_percent } = data.sums;
  return (
    <p className="text-sm text-muted">
      {t(
        'Bytes: {bytes}. Packets: {packets}. From {samples, plural, one {# sampled packet} other {# sampled packets}}.',
        {
          bytes: formatEstimatedBytes(bytes),
          packets: formatPackets(t, packets, error_percent),
          samples,
        },
      )}
    </p>
  );
}

/** What sampled records say about traffic, by pair of ends and service, the most bytes first. */
export function EstimateList() {
  const t = useT();
  const list = useList(ESTIMATES);
  const { range, since, until, workload_id, cluster_id, flow_exporter_id } = list.state.filters;
  return (
    <ListView
      of={list}
      description={t(
        'Projected from sampled packets, with the 95 % error of the number of packets. Estimates are in no list and no total of flows.',
      )}
      actions={
        <TimeRangeControl
          {...{ since, until }}
          range={range ?? DEFAULT_RANGE}
          spans={ESTIMATE_SPANS}
          onChange={(time) => list.state.setFilters(time)}
        />
      }
      summary={
        <EstimateTotals
          input={{
            ...resolveHours({ range, since, until }),
            ...(workload_id && { workload_id }),
            ...(cluster_id && { cluster_id }),
            ...(flow_exporter_id && { flow_exporter_id }),
          }}
        />
      }
    />
  );
}
