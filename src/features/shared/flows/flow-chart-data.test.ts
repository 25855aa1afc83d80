import { expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { flowChartData } from './flow-chart-data';

it('turns sums into rates, denied traffic first', () => {
  const line = (decision: string, bytes: number[]) => ({ decision, bytes, packets: [6, 0], flows: [3, 3] });
  const series = {
    bucket_seconds: 60,
    bucket_at: ['2026-06-01T12:00:00Z', '2026-06-01T12:01:00Z'],
    lines: [line('observed', [7500, 0]), line('later_drop', [0, 0]), line('drop', [60, 120])],
  };
  const traffic = flowChartData(english, series, 'traffic');
  expect(traffic.lines.map(({ id }) => id)).toEqual(['drop', 'observed', 'later_drop']);
  expect(traffic.lines[1]?.values).toEqual([1000, 0]);
  expect(traffic.format(1000)).toBe('1 kbit/s');
  expect(traffic.buckets).toEqual({ starts: [1_780_315_200_000, 1_780_315_260_000], seconds: 60 });
  expect(flowChartData(english, series, 'packets').lines[0]?.values).toEqual([0.1, 0]);
  expect(flowChartData(english, series, 'flows').format(0.05)).toBe('0.05 /s');
});
