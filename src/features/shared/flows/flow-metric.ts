import { msg } from '@/lib/i18n/translator';
/** What a chart of traffic shows: bits, packets, or flows that began. */
export const METRICS = ['traffic', 'packets', 'flows'] as const;
export type Metric = (typeof METRICS)[number];

export const METRIC_OPTIONS = [
  { value: 'traffic', label: msg('Traffic') },
  { value: 'packets', label: msg('Packets') },
  { value: 'flows', label: msg('New flows') },
] as const satisfies readonly { value: Metric; label: string }[];
