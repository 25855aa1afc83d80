'use client';
import { ChartColumn, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { part, usePart } from '../part';
import { SegmentedControl } from '../segmented-control';
import { BarChart, LEGEND_HEIGHT } from './bar-chart';
import type { ChartFigures, ChartOptions } from './chart-data';

const table = part(() => import('./chart-table'));

type View = 'chart' | 'table';

type Props = ChartFigures &
  ChartOptions & {
    /** Said in place of a chart without any bar. */
    empty?: string;
    /** Before the switch between chart and table: title or controls. */
    children?: ReactNode;
  };

/** Figures over time, to be looked at or to be read: a chart and the same figures as a table. */
export function TimeChart({ children, empty, height = 160, ...figures }: Props) {
  const t = useT();
  const props = { ...figures, height };
  const drawn = [...props.series, ...(props.counts?.series ?? [])];
  const nothing = drawn.every(({ values }) => values.every((value) => value === 0));
  const [view, setView] = useState<View>('chart');
  const ChartTable = usePart(table, view === 'table')?.ChartTable;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex min-w-0 flex-wrap items-center gap-2">{children}</div>
        <SegmentedControl<View>
          label={t('{label}: view', { label: props.label })}
          value={view}
          onValueChange={setView}
          options={[
            { value: 'chart', label: t('Chart'), icon: <ChartColumn size={14} /> },
            { value: 'table', label: t('Table'), icon: <Table2 size={14} /> },
          ]}
          iconsOnly
        />
      </div>
      {nothing ? (
        // As high as a chart: what is below stays where it is when traffic comes.
        <p
          className="flex items-center justify-center text-center text-muted"
          style={{ minHeight: LEGEND_HEIGHT + height }}
        >
          {empty ?? t('No data in this time range.')}
        </p>
      ) : view === 'chart' ? (
        <BarChart {...props} />
      ) : (
        ChartTable && <ChartTable {...props} />
      )}
    </div>
  );
}
