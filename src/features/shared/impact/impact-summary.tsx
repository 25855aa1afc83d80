'use client';
import { IMPACT_OUTCOMES } from '@/domain/choices';
import type { Impact } from '@/domain/impact/impact';
import { formatBytes } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
import { ImpactFinding } from './impact-finding';
import { endName, formatService, knownTotal, OUTCOME_LABELS } from './impact-labels';

/** Conversations that are named. */
const NAMED = 5;

type Props = { impact: Impact; onCompute: () => void; pending: boolean };

/** An impact in a few lines: what it says first, the counts, and the conversations that would be blocked by name. */
export function ImpactSummary({ impact, onCompute, pending }: Props) {
  const t = useT();
  const blocked = impact.conversations.items.filter(({ outcome }) => outcome === 'newly_blocked').slice(0, NAMED);
  const more = impact.totals.newly_blocked - blocked.length;
  return (
    <section className="flex flex-col gap-2" aria-label={t('Impact')}>
      <ImpactFinding impact={impact} onCompute={onCompute} pending={pending} />
      {blocked.length > 0 && (
        <ul className="flex flex-col gap-1" aria-label={t('Newly blocked')}>
          {blocked.map((row) => (
            <li key={row.id} className="[overflow-wrap:anywhere]">
              <span className="font-medium">
                {endName(row.client)} → {endName(row.server)}
              </span>{' '}
              <span className="mono">{formatService(row)}</span>{' '}
              <span className="text-muted tabular-nums">{formatBytes(row.bytes)}</span>
            </li>
          ))}
          {more > 0 && <li className="text-muted">{t('and {n, number} more', { n: more })}</li>}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {IMPACT_OUTCOMES.map((outcome) => {
          const n = knownTotal(impact, outcome);
          const { word, tone } = OUTCOME_LABELS[outcome];
          return (
            n !== null && (
              <Badge key={outcome} tone={n > 0 ? tone : 'neutral'}>
                {t('{label}: {n, number}', { label: t(word), n })}
              </Badge>
            )
          );
        })}
        <OpenImpact id={impact.id} />
      </div>
    </section>
  );
}

/** The impact as a page of its own. It opens beside, so that nothing typed here is lost. */
export function OpenImpact({ id }: { id: string }) {
  const t = useT();
  return (
    <Link className="link inline-flex min-h-6 items-center" href={paths.impact({ impactId: id })} target="_blank">
      {t('Open impact')}
    </Link>
  );
}
