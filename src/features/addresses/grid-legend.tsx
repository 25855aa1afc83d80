import clsx from 'clsx';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { CELL_STATES, CELLS, type CellState } from './grid-cells';

/** What the cells mean and how many of each are shown. Only states that occur, and free. */
export function GridLegend({ counts }: { counts: ReadonlyMap<CellState, number> }) {
  const t = useT();
  return (
    <ul aria-label={t('Legend')} className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {CELL_STATES.filter((state) => state === 'free' || (counts.get(state) ?? 0) > 0).map((state) => (
        <li key={state} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className={clsx(
              'mono inline-flex h-5 w-7 items-center justify-center rounded-sm border text-sm',
              CELLS[state].className,
            )}
          >
            7
          </span>
          {t(CELLS[state].word)}
          <span className="text-faint tabular-nums">{formatCount(counts.get(state) ?? 0)}</span>
        </li>
      ))}
    </ul>
  );
}
