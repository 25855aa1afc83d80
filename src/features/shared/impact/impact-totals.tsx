import { IMPACT_OUTCOMES } from '@/domain/choices';
import type { Impact } from '@/domain/impact/impact';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { StatusDot } from '@/ui/status';
import { Missing } from '@/ui/values';
import { knownTotal, OUTCOME_LABELS, type Outcome } from './impact-labels';

type Props = {
  impact: Impact;
  chosen: Outcome | null;
  /** Narrows the list to one outcome. */
  onChoose: (outcome: Outcome) => void;
};

/** The five counts. Color only where there is something to see; a zero without evidence is shown as unknown. */
export function ImpactTotals({ impact, chosen, onChoose }: Props) {
  const t = useT();
  return (
    <fieldset
      className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-5"
      aria-label={t('Conversations by outcome')}
    >
      {IMPACT_OUTCOMES.map((outcome) => {
        const { word, tone, meaning } = OUTCOME_LABELS[outcome];
        const total = knownTotal(impact, outcome);
        return (
          <button
            key={outcome}
            type="button"
            title={t(meaning)}
            aria-pressed={chosen === outcome}
            onClick={() => onChoose(outcome)}
            className="flex min-w-0 flex-col gap-0.5 rounded-lg border bg-surface px-3 py-2 text-left hover:bg-surface-2 aria-pressed:border-accent aria-pressed:bg-surface-2"
          >
            <span className="flex min-w-0 items-center gap-1.5 text-muted">
              <StatusDot tone={total === null ? 'unknown' : total > 0 ? tone : 'neutral'} />
              <span className="truncate">{t(word)}</span>
            </span>
            <span className="text-lg font-semibold tabular-nums">
              {total === null ? <Missing label={t('Unknown')} /> : formatCount(total)}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
}
