'use client';
import { type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import { formatDateTime } from '@/lib/format';
import { BarLayers, SWATCHES } from './bar-layers';
import {
  type ChartFigures,
  type ChartOptions,
  figuresText,
  niceScale,
  stackedSeries,
  stackTotals,
  timeTicks,
} from './chart-data';

const LEFT = 76;
const BOTTOM = 18;
const TOP = 6;
/** The line above the bars with its gap, while it needs one line. */
export const LEGEND_HEIGHT = 24;
/** The strip of counts below the stack, and the gap between them. */
const STRIP = { height: 34, gap: 18 };

/**
 * Stacked bars over time, and below them a strip of counts with its own axis. Pointer and arrow keys move a cursor
 * whose figures are shown in the line above; it is a slider for assistive technology.
 */
export function BarChart({
  label,
  buckets,
  series,
  format,
  counts,
  base = 1000,
  height,
  onSelect,
}: ChartFigures & ChartOptions & { height: number }) {
  const [ref, width] = useElementWidth<HTMLDivElement>();
  const [cursor, setCursor] = useState<number | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const { starts, seconds } = buckets;
  const count = starts.length;
  const first = starts[0] ?? 0;
  const until = first + count * seconds * 1000;
  const stacked = stackedSeries({ series, counts });
  const { end, ticks } = niceScale(Math.max(0, ...stackTotals(stacked, count)), base);
  const strip = counts && niceScale(Math.max(0, ...stackTotals(counts.series, count)), 1000, 1).end;
  const below = strip === undefined ? 0 : STRIP.height + STRIP.gap;
  const all = height - TOP - BOTTOM;
  const inner = { width: Math.max(0, width - LEFT), height: all - below };
  const foot = TOP + all;
  const x = (time: number) => LEFT + ((time - first) / (until - first)) * inner.width;
  const y = (value: number) => TOP + inner.height * (1 - value / end);
  const at = cursor === null ? null : Math.min(cursor, count - 1);
  const slot = inner.width / count;
  const indexAt = (event: PointerEvent<HTMLElement>) => {
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return Math.max(0, Math.min(count - 1, Math.floor((offset / inner.width) * count)));
  };
  const select = (a: number, b: number) => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    onSelect?.({ since: starts[low] ?? first, until: (starts[high] ?? first) + seconds * 1000 });
  };
  const marked = anchor !== null && at !== null && anchor !== at ? [Math.min(anchor, at), Math.max(anchor, at)] : null;
  const text = (index: number) =>
    `${formatDateTime(new Date(starts[index] ?? first).toISOString())}: ${figuresText({ series, counts, format }, index)}`;
  const legend = [
    ...stacked.map((one) => ({ ...one, format })),
    ...(counts?.series.map((one) => ({ ...one, id: `${one.id}-count`, format: counts.format })) ?? []),
  ];
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-5 flex-wrap items-center gap-x-4 gap-y-1 text-sm" aria-hidden="true">
        {legend.map(({ id, label: name, tone, values, format: shown }) => (
          <span key={id} className="inline-flex items-center gap-1.5">
            <span className={`size-2.5 rounded-sm ${SWATCHES[tone]}`} />
            {name}
            {at !== null && <span className="text-muted tabular-nums">{shown(values[at] ?? 0)}</span>}
          </span>
        ))}
        {at !== null && (
          <span className="ml-auto text-muted tabular-nums">
            {formatDateTime(new Date(starts[at] ?? first).toISOString())}
          </span>
        )}
      </div>
      <div ref={ref} className="relative min-w-0" style={{ height }}>
        {width > 0 && count > 0 && (
          <>
            <svg width={width} height={height} aria-hidden="true" className="absolute inset-0 overflow-visible">
              {ticks.map((value) => (
                <g key={value}>
                  <line x1={LEFT} x2={width} y1={y(value)} y2={y(value)} className="stroke-line" />
                  <text
                    x={LEFT - 8}
                    y={y(value)}
                    dy="0.32em"
                    textAnchor="end"
                    className="fill-faint text-sm tabular-nums"
                  >
                    {format(value)}
                  </text>
                </g>
              ))}
              {timeTicks(first, until, Math.max(1, Math.floor(inner.width / 70))).map(({ at: time, text: mark }) => (
                <g key={time}>
                  <line x1={x(time)} x2={x(time)} y1={foot} y2={foot + 4} className="stroke-line-strong" />
                  {x(time) < width - 14 && (
                    <text x={x(time)} y={height - 2} textAnchor="middle" className="fill-faint text-sm tabular-nums">
                      {mark}
                    </text>
                  )}
                </g>
              ))}
              {at !== null && (
                <rect
                  x={LEFT + (marked?.[0] ?? at) * slot}
                  y={TOP}
                  width={slot * (marked ? (marked[1] ?? at) - (marked[0] ?? at) + 1 : 1)}
                  height={all}
                  className="fill-surface-3"
                />
              )}
              <g transform={`translate(${LEFT} ${TOP})`}>
                <BarLayers series={stacked} count={count} width={inner.width} height={inner.height} end={end} />
              </g>
              {counts && strip !== undefined && (
                <g transform={`translate(${LEFT} ${foot - STRIP.height})`}>
                  <line x1={0} x2={inner.width} y1={STRIP.height} y2={STRIP.height} className="stroke-line" />
                  {[0, strip].map((value) => (
                    <text
                      key={value}
                      x={-8}
                      y={value === 0 ? STRIP.height : 0}
                      dy="0.32em"
                      textAnchor="end"
                      className="fill-faint text-sm tabular-nums"
                    >
                      {counts.format(value)}
                    </text>
                  ))}
                  <BarLayers
                    series={counts.series}
                    count={count}
                    width={inner.width}
                    height={STRIP.height}
                    end={strip}
                    least={3}
                  />
                </g>
              )}
            </svg>
            <div
              role="slider"
              tabIndex={0}
              aria-label={label}
              aria-valuemin={0}
              aria-valuemax={count - 1}
              aria-valuenow={at ?? count - 1}
              aria-valuetext={text(at ?? count - 1)}
              className="absolute touch-pan-y rounded-sm"
              style={{ left: LEFT, right: 0, top: 0, bottom: BOTTOM }}
              onPointerDown={(event) => {
                if (!onSelect || event.button !== 0 || event.pointerType === 'touch') return;
                event.currentTarget.setPointerCapture(event.pointerId);
                setAnchor(indexAt(event));
              }}
              onPointerMove={(event) => setCursor(indexAt(event))}
              onPointerUp={(event) => {
                const to = indexAt(event);
                if (anchor !== null && anchor !== to) select(anchor, to);
                setAnchor(null);
              }}
              onPointerCancel={() => setAnchor(null)}
              onPointerLeave={() => anchor === null && setCursor(null)}
              onBlur={() => setCursor(null)}
              onKeyDown={(event) => {
                const now = at ?? count - 1;
                const next = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: count - 1 }[event.key];
                if (next !== undefined) {
                  event.preventDefault();
                  setCursor(Math.max(0, Math.min(count - 1, next)));
                } else if (event.key === 'Enter' && onSelect) {
                  event.preventDefault();
                  select(now, now);
                }
              }}
            />
          </>
        )}
      </div>
    </div>
  );
}

/** The width of an element in whole pixels, kept up to date; 0 until it has been measured. */
function useElementWidth<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [ref, width] as const;
}
