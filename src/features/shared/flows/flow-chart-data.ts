import type { FlowSeries } from '@/domain/flow/flow-sums';
import { formatBitRate } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { ChartBuckets, ChartSeries } from '@/ui/chart/chart-data';
import { decisionOf, formatPerSecond, STACK_ORDER } from './flow-labels';

const FIELDS = { traffic: 'bytes', packets: 'packets', flows: 'flows' } as const;

const rank = (decision: string) => {
  const at = STACK_ORDER.indexOf(decision);
  return at === -1 ? STACK_ORDER.length : at;
};

/** A series of sums as rates per second: buckets of another width then stay comparable. Traffic is in bits. */
export function flowChartData(
  t: Translate,
  series: Pick<FlowSeries, 'bucket_at' | 'bucket_seconds' | 'lines'>,
  metric: Metric,
): { buckets: ChartBuckets; lines: ChartSeries[]; format: (value: number) => string } {
  const seconds = series.bucket_seconds;
  const scale = metric === 'traffic' ? 8 / seconds : 1 / seconds;
  return {
    buckets: { starts: series.bucket_at.map((time) => Date.parse(time)), seconds },
    lines: [...series.lines]
      .sort((a, b) => rank(a.decision) - rank(b.decision))
      .map((line) => {
        const { word, chart } = decisionOf(line.decision);
        return {
          id: line.decision,
          label: t(word),
          tone: chart,
          values: line[FIELDS[metric]].map((value) => value * scale),
        };
      }),
    format: metric === 'traffic' ? formatBitRate : formatPerSecond,
  };
}

/** What a chart of traffic shows: bits, packets, or flows that began. */
export const METRICS = ['traffic', 'packets', 'flows'] as const;
export type Metric = (typeof METRICS)[number];

export const METRIC_OPTIONS = [
  { value: 'traffic', label: msg('Traffic') },
  { value: 'packets', label: msg('Packets') },
  { value: 'flows', label: msg('New flows') },
] as const satisfies readonly { value: Metric; label: string }[];
