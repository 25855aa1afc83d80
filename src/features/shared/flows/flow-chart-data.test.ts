import fc from 'fast-check';
import { expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { figuresText, stackedSeries } from '@/ui/chart/chart-data';
import { deniedSums, flowChartData, METRICS } from './flow-chart-data';

it('turns totals into rates, denied traffic first', () => {
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

it('gives every dropped packet a count of its own beside gigabits, whatever is measured', () => {
  const counts = fc.array(fc.nat(50), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(counts, counts, counts, (drop, reject, flows) => {
      const line = (decision: string, packets: number[], bytes: number) => ({
        decision,
        packets,
        flows,
        bytes: packets.map((n) => n * bytes),
      });
      const series = {
        bucket_seconds: 60,
        bucket_at: ['2026-06-01T12:00:00Z', '2026-06-01T12:01:00Z', '2026-06-01T12:02:00Z'],
        lines: [line('observed', [1e9, 1e9, 1e9], 1400), line('reject', reject, 60), line('drop', drop, 60)],
      };
      for (const metric of METRICS) {
        const { lines, counts: strip, format } = flowChartData(english, series, metric);
        // Not in the stack, where it would be a pixel; in a strip, as whole numbers.
        expect(stackedSeries({ series: lines, ...(strip && { counts: strip }) }).map(({ id }) => id)).toEqual([
          'observed',
        ]);
        expect(strip?.series.map(({ values }) => values)).toEqual(metric === 'flows' ? [flows, flows] : [drop, reject]);
        const text = figuresText({ series: lines, format, ...(strip && { counts: strip }) }, 1);
        expect(text).toContain(
          `Dropped (${metric === 'flows' ? 'flows' : 'packets'}) ${(metric === 'flows' ? flows : drop)[1]}`,
        );
      }
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
      expect(deniedSums(series)).toEqual({ packets: sum(drop) + sum(reject), flows: 2 * sum(flows) });
    }),
  );
});

it('has no strip when nothing was denied', () => {
  const line = { decision: 'observed', bytes: [1], packets: [1], flows: [1] };
  const series = { bucket_seconds: 60, bucket_at: ['2026-06-01T12:00:00Z'], lines: [line] };
  expect(flowChartData(english, series, 'traffic').counts).toBeUndefined();
});
