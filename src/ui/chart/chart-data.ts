import { formatDateTime } from '@/lib/format';
import { displayZone } from '@/lib/time/time-display';
import type { Tone } from '../status';

export type ChartTone = Extract<Tone, 'ok' | 'warn' | 'danger' | 'info'>;

/** One layer of stacked bars; `values` has one figure for each bucket. */
export type ChartSeries = { id: string; label: string; tone: ChartTone; values: readonly number[] };

/** Buckets of equal width in time, by their beginnings in milliseconds. */
export type ChartBuckets = { starts: readonly number[]; seconds: number };

/** What is shown, as a chart or as a table. */
export type ChartFigures = {
  /** What is shown: "Traffic over time". */
  label: string;
  buckets: ChartBuckets;
  /** The first is at the bottom. */
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** Counted beside the stack, in a strip with an axis of its own. A layer of the stack with the same id is not drawn. */
  counts?: ChartCounts;
};

/** Whole numbers for each bucket, however small they are beside the stack: dropped packets beside a backup. */
export type ChartCounts = { series: readonly ChartSeries[]; format: (value: number) => string };

/** How a chart is drawn, beside its figures. */
export type ChartOptions = {
  /** 1024 where `format` uses binary units. */
  base?: 1000 | 1024;
  height?: number;
  /** Buckets were marked, by dragging or with Enter; milliseconds, `until` is not part of it. */
  onSelect?: (range: { since: number; until: number }) => void;
};

/** How high the bars are. */
export const stackTotals = (series: readonly ChartSeries[], buckets: number): number[] =>
  Array.from({ length: buckets }, (_, i) => series.reduce((total, { values }) => total + (values[i] ?? 0), 0));

/** The layers of the stack that are drawn: those that are not counted in the strip. */
export const stackedSeries = ({ series, counts }: Pick<ChartFigures, 'series' | 'counts'>): readonly ChartSeries[] =>
  counts ? series.filter(({ id }) => !counts.series.some((counted) => counted.id === id)) : series;

/** The figures of one bucket as text: the stack, then the counts. */
export const figuresText = (figures: Pick<ChartFigures, 'series' | 'counts' | 'format'>, index: number): string => {
  const text = (format: (value: number) => string) => (one: ChartSeries) =>
    `${one.label} ${format(one.values[index] ?? 0)}`;
  const { counts, format } = figures;
  return [...stackedSeries(figures).map(text(format)), ...(counts?.series.map(text(counts.format)) ?? [])].join(', ');
};

/**
 * The end of an axis that begins at 0 and holds `greatest`, with marks at round figures.
 * @param base 1000 for counts and decimal units, 1024 for binary ones: what is round depends on it
 */
export function niceScale(greatest: number, base: 1000 | 1024 = 1000, marks = 3): { end: number; ticks: number[] } {
  if (!(greatest > 0)) return { end: 1, ticks: [0, 1] };
  const requested = greatest / marks;
  const unit = base ** Math.max(0, Math.floor(Math.log(requested) / Math.log(base)));
  const inUnit = requested / unit;
  const power = 10 ** Math.floor(Math.log10(inUnit));
  // Steps of 2.5 would be marked "2.5", "5", "7.5": fewer digits are read faster.
  const step = [1, 2, 5, 10].find((factor) => factor * power >= inUnit) ?? 10;
  const size = step * power * unit;
  const count = Math.ceil(greatest / size);
  return { end: count * size, ticks: Array.from({ length: count + 1 }, (_, i) => i * size) };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  28 * DAY,
  91 * DAY,
];

/**
 * Marks of a time axis at round times of the chosen zone: at most `most` of them, in milliseconds, with their text. Where
 * a day begins the date stands instead of the time.
 */
export function timeTicks(since: number, until: number, most: number): { at: number; text: string }[] {
  const span = until - since;
  if (!(span > 0) || most < 1) return [];
  const step = STEPS.find((size) => span / size <= most) ?? span;
  const zone = displayZone() === undefined ? new Date(since).getTimezoneOffset() * MINUTE : 0;
  const ticks: { at: number; text: string }[] = [];
  for (let at = Math.ceil((since - zone) / step) * step + zone; at <= until; at += step) {
    const text = formatDateTime(new Date(at).toISOString());
    const time = text.slice(11, 19);
    const isDate = time === '00:00:00' || step >= DAY;
    ticks.push({ at, text: isDate ? text.slice(5, 10) : time.slice(0, step < MINUTE ? 8 : 5) });
  }
  return ticks;
}
