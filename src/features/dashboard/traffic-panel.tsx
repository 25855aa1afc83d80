import { useState } from 'react';
import type { DashboardTraffic } from '@/domain/dashboard/dashboard';
import { formatBytes } from '@/lib/format';
import { TimeChart } from '@/ui/chart/time-chart';
import { SegmentedControl } from '@/ui/segmented-control';
import { flowChartData } from '../shared/flows/flow-chart-data';
import { METRIC_OPTIONS, METRICS, type Metric } from '../shared/flows/flow-metric';
import { countText } from '../shared/flows/flow-words';

type Props = { traffic: DashboardTraffic['traffic']; onSelect: (range: { since: string; until: string }) => void };

/** Traffic over time by verdict. Marking a part of it looks closer, at everything on the page. */
export function TrafficPanel({ traffic, onSelect }: Props) {
  const [metric, setMetric] = useState<Metric>(METRICS[0]);
  const { buckets, lines, format } = flowChartData(traffic, metric);
  const { sums } = traffic;
  return (
    <div className="flex-1 min-w-0 rounded-lg border bg-surface p-3">
      <TimeChart
        label="Traffic over time"
        buckets={buckets}
        series={lines}
        format={format}
        height={300}
        empty="No traffic in this time, as far as agents saw."
        onSelect={({ since, until }) =>
          onSelect({ since: new Date(since).toISOString(), until: new Date(until).toISOString() })
        }
      >
        <SegmentedControl label="Measure" value={metric} onValueChange={setMetric} options={METRIC_OPTIONS} />
        <p className="text-muted tabular-nums">
          {formatBytes(sums.bytes)}, {countText(sums.packets, 'packet')}, {countText(sums.flows, 'new flow')}
        </p>
      </TimeChart>
    </div>
  );
}
