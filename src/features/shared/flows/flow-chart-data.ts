import type { FlowSeries } from '@/domain/flow/flow-sums';
import { formatBitRate, formatCount } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import type { ChartBuckets, ChartCounts, ChartSeries } from '@/ui/chart/chart-data';
import { formatPerSecond, getDecisionLabel, STACK_ORDER } from './flow-labels';

const FIELDS = { traffic: 'bytes', packets: 'packets', flows: 'flows' } as const;

const rank = (decision: string) => {
  const at = STACK_ORDER.indexOf(decision);
  return at === -1 ? STACK_ORDER.length : at;
};

/** What the firewall log says was not let through: a few packets of it would not be seen in a stack of gigabits. */
const DENIED: ReadonlySet<string> = new Set(['drop', 'default_drop', 'reject']);
/** How counts of denied traffic are named; `flows` counts flows, all else packets. */
const COUNT_LABELS = {
  packets: msg('{action} (packets)'),
  flows: msg('{action} (flows)'),
  conversations: msg('{action} (conversations)'),
} as const;

/** A series of totals as rates per second, which keeps buckets of any width comparable. Traffic is in bits. */
export function flowChartData(
  t: Translate,
  series: Pick<FlowSeries, 'bucket_at' | 'bucket_seconds' | 'lines'> & Partial<Pick<FlowSeries, 'source'>>,
  metric: Metric,
): { buckets: ChartBuckets; lines: ChartSeries[]; format: (value: number) => string; counts?: ChartCounts } {
  const seconds = series.bucket_seconds;
  const scale = metric === 'traffic' ? 8 / seconds : 1 / seconds;
  const counted = metric === 'flows' ? 'flows' : 'packets';
  const named = counted === 'flows' && series.source === 'conversations' ? 'conversations' : counted;
  const lines = [...series.lines]
    .sort((a, b) => rank(a.decision) - rank(b.decision))
    .map((line) => ({ line, ...getDecisionLabel(line.decision) }));
  const denied = lines.filter(({ line }) => DENIED.has(line.decision));
  return {
    buckets: { starts: series.bucket_at.map((time) => Date.parse(time)), seconds },
    lines: lines.map(({ line, word, chart }) => ({
      id: line.decision,
      label: t(word),
      tone: chart,
      values: line[FIELDS[metric]].map((value) => value * scale),
    })),
    format: metric === 'traffic' ? formatBitRate : formatPerSecond,
    ...(denied.length > 0 && {
      counts: {
        series: denied.map(({ line, word, chart }) => ({
          id: line.decision,
          label: t(COUNT_LABELS[named], { action: t(word) }),
          tone: chart,
          values: line[counted].map(Math.round),
        })),
        format: formatCount,
      },
    }),
  };
}

/** How many packets and flows the firewall log says were dropped or rejected. */
export function deniedSums(series: Pick<FlowSeries, 'lines'>): { packets: number; flows: number } {
  const sum = (field: 'packets' | 'flows') =>
    series.lines
      .filter(({ decision }) => DENIED.has(decision))
      .reduce((total, line) => total + line[field].reduce((all, value) => all + value, 0), 0);
  return { packets: Math.round(sum('packets')), flows: Math.round(sum('flows')) };
}

/** What a chart of traffic shows: bits, packets, or flows that began. */
export const METRICS = ['traffic', 'packets', 'flows'] as const;
export type Metric = (typeof METRICS)[number];

const VOLUME_OPTIONS = [
  { value: 'traffic', label: msg('Traffic') },
  { value: 'packets', label: msg('Packets') },
] as const;

export const METRIC_OPTIONS = [
  ...VOLUME_OPTIONS,
  { value: 'flows', label: msg('New flows') },
] as const satisfies readonly { value: Metric; label: string }[];

/** Where conversations are counted in place of flows. */
export const CONVERSATION_METRIC_OPTIONS = [
  ...VOLUME_OPTIONS,
  { value: 'flows', label: msg('New conversations') },
] as const satisfies readonly { value: Metric; label: string }[];
