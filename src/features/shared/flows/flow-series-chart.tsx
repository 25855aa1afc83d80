import type { ReactNode } from 'react';
import type { FlowSeries } from '@/domain/flow/flow-sums';
import { formatBytes } from '@/lib/format';
import { TimeChart } from '@/ui/chart/time-chart';
import { SegmentedControl } from '@/ui/segmented-control';
import { flowChartData } from './flow-chart-data';
import { METRIC_OPTIONS, type Metric } from './flow-metric';
import { countText } from './flow-words';

export type FlowSeriesChartProps = {
  series: Pick<FlowSeries, 'bucket_at' | 'bucket_seconds' | 'lines' | 'sums'>;
  metric: Metric;
  onMetricChange: (metric: Metric) => void;
  /** A part of the time was marked; RFC 3339. */
  onSelect: (range: { since: string; until: string }) => void;
  /** Pixels. */
  height?: number;
  /** What stands there when nothing flowed. */
  empty?: string;
  /** Shown below the chart. */
  children?: ReactNode;
};

/** Traffic over time by verdict, with what it sums up to and the choice of what is measured. */
export function FlowSeriesChart(props: FlowSeriesChartProps) {
  const { series, metric, onMetricChange, onSelect, height, empty = 'No traffic in this time.', children } = props;
  const { buckets, lines, format } = flowChartData(series, metric);
  const { sums } = series;
  return (
    <section aria-label="Traffic over time" className="flex flex-col gap-1 rounded-lg border bg-surface p-3">
      <TimeChart
        label="Traffic over time"
        buckets={buckets}
        series={lines}
        format={format}
        height={height}
        empty={empty}
        onSelect={({ since, until }) =>
          onSelect({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })
        }
      >
        <SegmentedControl label="Measure" value={metric} onValueChange={onMetricChange} options={METRIC_OPTIONS} />
        <p className="text-muted tabular-nums">
          {formatBytes(sums.bytes)}, {countText(sums.packets, 'packet')}, {countText(sums.flows, 'new flow')}
        </p>
      </TimeChart>
      {children}
    </section>
  );
}
