'use client';
import type { EdgeVerdict } from '@/domain/topology/edge-verdict';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Tooltip } from '@/ui/tooltip';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';

type Props = {
  counts: readonly { verdict: EdgeVerdict; edges: number }[];
  shown: ReadonlySet<EdgeVerdict>;
  onToggle: (verdict: EdgeVerdict) => void;
};

/** What the colors and dashes of lines mean; each verdict can be switched off. */
export function VerdictLegend({ counts, shown, onToggle }: Props) {
  const t = useT();
  return (
    <fieldset className="flex flex-wrap gap-1.5" aria-label={t('Outcomes shown')}>
      {counts.map(({ verdict, edges }) => {
        const { word, meaning, color, dash } = EDGE_VERDICT_STYLES[verdict];
        const on = shown.has(verdict);
        return (
          <Tooltip key={verdict} content={t(meaning)}>
            <button
              type="button"
              aria-pressed={on}
              onClick={() => onToggle(verdict)}
              className="inline-flex h-8 items-center gap-1.5 rounded-md border px-2 hover:bg-surface-2 aria-pressed:bg-surface"
            >
              <svg width="20" height="8" aria-hidden className={on ? '' : 'opacity-30'}>
                <line
                  x1="0"
                  x2="20"
                  y1="4"
                  y2="4"
                  strokeWidth="3"
                  stroke={`var(${color})`}
                  strokeDasharray={dash.join(' ') || undefined}
                />
              </svg>
              <span className={on ? '' : 'text-muted line-through'}>{t(word)}</span>
              <span className="text-sm text-muted tabular-nums">{formatCount(edges)}</span>
            </button>
          </Tooltip>
        );
      })}
    </fieldset>
  );
}
