/** What a chart of traffic shows: bits, packets, or flows that began. */
export const METRICS = ['traffic', 'packets', 'flows'] as const;
export type Metric = (typeof METRICS)[number];

export const METRIC_OPTIONS = [
  { value: 'traffic', label: 'Traffic' },
  { value: 'packets', label: 'Packets' },
  { value: 'flows', label: 'New flows' },
] as const satisfies readonly { value: Metric; label: string }[];
