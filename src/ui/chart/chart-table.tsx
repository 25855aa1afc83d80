'use client';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { type ChartFigures, stackTotals } from './chart-data';

/** The figures of a chart as a table, the newest first. */
export function ChartTable({ label, buckets, series, format, counts }: ChartFigures) {
  const t = useT();
  const totals = stackTotals(series, buckets.starts.length);
  const cell = 'border-b px-2 py-1 text-right whitespace-nowrap tabular-nums';
  return (
    <section
      aria-label={t('{label}, table', { label })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key.
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-md border"
    >
      <table className="w-full border-separate border-spacing-0">
        <thead className="sticky top-0 bg-surface-2 text-sm text-muted">
          <tr>
            <th scope="col" className="border-b px-2 py-1 text-left font-medium">
              {t('From')}
            </th>
            {series.map(({ id, label: name }) => (
              <th key={id} scope="col" className="border-b px-2 py-1 text-right font-medium">
                {name}
              </th>
            ))}
            {series.length > 1 && (
              <th scope="col" className="border-b px-2 py-1 text-right font-medium">
                {t('Total')}
              </th>
            )}
            {counts?.series.map(({ id, label: name }) => (
              <th key={id} scope="col" className="border-b px-2 py-1 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.starts
            .map((start, index) => ({ start, index }))
            .reverse()
            .map(({ start, index }) => (
              <tr key={start}>
                <th scope="row" className="border-b px-2 py-1 text-left font-normal whitespace-nowrap tabular-nums">
                  {formatDateTime(new Date(start).toISOString())}
                </th>
                {series.map(({ id, values }) => (
                  <td key={id} className={cell}>
                    {format(values[index] ?? 0)}
                  </td>
                ))}
                {series.length > 1 && <td className={cell}>{format(totals[index] ?? 0)}</td>}
                {counts?.series.map(({ id, values }) => (
                  <td key={id} className={cell}>
                    {counts.format(values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
