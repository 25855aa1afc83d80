import type { Tone } from '../tone';

export type ChartTone = Extract<Tone, 'ok' | 'warn' | 'danger' | 'info'>;

/** One layer of stacked bars; `values` has one figure for each bucket. */
export type ChartSeries = { id: string; label: string; tone: ChartTone; values: readonly number[] };

/** Buckets of equal width in time, by their beginnings in milliseconds. */
export type ChartBuckets = { starts: readonly number[]; seconds: number };

/** How high the bars are. */
export const stackTotals = (series: readonly ChartSeries[], buckets: number): number[] =>
  Array.from({ length: buckets }, (_, i) => series.reduce((total, { values }) => total + (values[i] ?? 0), 0));
