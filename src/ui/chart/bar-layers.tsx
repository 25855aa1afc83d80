import type { ChartSeries, ChartTone } from './chart-data';

const FILLS: Record<ChartTone, string> = {
  ok: 'fill-ok-mark',
  warn: 'fill-warn-mark',
  danger: 'fill-danger-mark',
  info: 'fill-info-mark',
};

export const SWATCHES: Record<ChartTone, string> = {
  ok: 'bg-ok-mark',
  warn: 'bg-warn-mark',
  danger: 'bg-danger-mark',
  info: 'bg-info-mark',
};

type Props = {
  series: readonly ChartSeries[];
  count: number;
  width: number;
  height: number;
  end: number;
  /** A layer that exists is seen, however small its share; pixels. */
  least?: number;
};

/** The bars, the first layer at the bottom. One path for each layer: hundreds of elements would slow the page down. */
export function BarLayers({ series, count, width, height, end, least = 1.5 }: Props) {
  const slot = width / count;
  const gap = slot > 4 ? 1 : 0;
  const bases = new Float64Array(count);
  return (
    <>
      {series.map(({ id, tone, values }) => {
        let path = '';
        for (let i = 0; i < count; i++) {
          const value = values[i] ?? 0;
          if (value <= 0) continue;
          const size = Math.max(least, (value / end) * height);
          const bottom = height - (bases[i] ?? 0);
          bases[i] = (bases[i] ?? 0) + size;
          path += `M${round(i * slot)} ${round(bottom)}v${round(-size)}h${round(slot - gap)}v${round(size)}z`;
        }
        return <path key={id} d={path} className={FILLS[tone]} />;
      })}
    </>
  );
}

const round = (value: number) => Math.round(value * 100) / 100;
