import type { ReactNode } from 'react';
import type { FlowSeries } from '@/domain/flow/flow-sums';
import { formatBytes } from '@/lib/format';
import { translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { TimeChart } from '@/ui/chart/time-chart';
import { Skeleton } from '@/ui/loading';
import { SegmentedControl } from '@/ui/segmented-control';
import { CONVERSATION_METRIC_OPTIONS, deniedSums, flowChartData, METRIC_OPTIONS, type Metric } from './flow-chart-data';
import { packetsText } from './flow-labels';

export type FlowSeriesChartProps = {
  series: Pick<FlowSeries, 'bucket_at' | 'bucket_seconds' | 'lines' | 'sums' | 'source'>;
  metric: Metric;
  onMetricChange: (metric: Metric) => void;
  /** A part of the time was marked; RFC 3339. */
  onSelect: (range: { since: string; until: string }) => void;
  /** Pixels. */
  height?: number;
  /** Shown when there was no traffic. */
  empty?: string;
  /** Shown below the chart. */
  children?: ReactNode;
};

/** In place of the chart while its figures are read, and as high. */
export const FlowSeriesSkeleton = () => <Skeleton className="h-62.5 w-full" />;

/** Traffic over time by verdict, with what it sums up to and the choice of what is measured. */
export function FlowSeriesChart(props: FlowSeriesChartProps) {
  const t = useT();
  const { series, metric, onMetricChange, onSelect, height, empty, children } = props;
  const { buckets, lines, format, counts } = flowChartData(t, series, metric);
  const { sums } = series;
  const denied = deniedSums(series);
  const ofConversations = series.source === 'conversations';
  return (
    <section aria-label={t('Traffic over time')} className="flex flex-col gap-1 rounded-lg border bg-surface p-3">
      <TimeChart
        label={t('Traffic over time')}
        buckets={buckets}
        series={lines}
        format={format}
        {...(counts && { counts })}
        height={height}
        empty={empty ?? t('No traffic in this time range.')}
        onSelect={({ since, until }) =>
          onSelect({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })
        }
      >
        <SegmentedControl
          label={t('Metric')}
          value={metric}
          onValueChange={onMetricChange}
          options={
            ofConversations ? translateOptions(t, CONVERSATION_METRIC_OPTIONS) : translateOptions(t, METRIC_OPTIONS)
          }
        />
        <p className="text-muted tabular-nums">
          {formatBytes(sums.bytes)}, {packetsText(t, sums.packets)},{' '}
          {ofConversations
            ? t('{n, plural, one {# new conversation} other {# new conversations}}', { n: sums.flows })
            : t('{n, plural, one {# new flow} other {# new flows}}', { n: sums.flows })}
          {(denied.packets > 0 || denied.flows > 0) && (
            <>
              {', '}
              <span className="text-danger">
                {t('{n, plural, one {# packet dropped or rejected} other {# packets dropped or rejected}}', {
                  n: denied.packets,
                })}
              </span>
            </>
          )}
        </p>
      </TimeChart>
      {children}
    </section>
  );
}
