'use client';
import { useState } from 'react';
import type { ChangeConfidence } from '@/domain/impact/evidence';
import type { Impact } from '@/domain/impact/impact';
import { formatPercent } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { EvidenceContent, LEVEL_LABELS, REASON_LABELS } from '../evidence/evidence-content';
import { CHANGE_LEVEL_MEANINGS } from './impact-labels';

/** Workloads that are listed at first; the rest on request. */
const PAGE = 20;

/** How far the evidence reaches: one confidence for the change, one per workload, and what is missing. */
export function BlindSpots({ impact: { confidence, status } }: { impact: Impact }) {
  const t = useT();
  return (
    <Section title={t('Evidence')}>
      {confidence ? (
        <Confidence confidence={confidence} />
      ) : status === 'running' ? (
        <p className="text-muted">{t('Not known yet.')}</p>
      ) : (
        <div className="flex flex-wrap items-baseline gap-x-3">
          <Status tone="unknown">{t(LEVEL_LABELS.none.word)}</Status>
          <span className="text-muted">{t('No conversation was evaluated, so there is no evidence either way.')}</span>
        </div>
      )}
    </Section>
  );
}

function Confidence({ confidence }: { confidence: ChangeConfidence }) {
  const t = useT();
  const [shown, setShown] = useState(PAGE);
  const { level, score, workloads, reasons, items } = confidence;
  const missing = items.filter((one) => one.level !== 'full');
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Status tone={LEVEL_LABELS[level].tone}>{t(LEVEL_LABELS[level].word)}</Status>
        <span className="tabular-nums">{formatPercent(score)}</span>
        <span className="text-muted">{t(CHANGE_LEVEL_MEANINGS[level])}</span>
      </div>
      <p className="text-muted">
        {t('Workloads: {full, number} with full, {partial, number} with partial, {none, number} without evidence.', {
          ...workloads,
        })}
      </p>
      {reasons.length > 0 && (
        <ul className="flex flex-wrap gap-2" aria-label={t('Blind spots')}>
          {reasons.map(({ kind, workloads: n }) => (
            <li key={kind} className="min-w-0">
              <Badge tone="warn">
                {t('{reason}: {n, plural, one {# workload} other {# workloads}}', {
                  reason: t(REASON_LABELS[kind]),
                  n,
                })}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {missing.length > 0 && (
        <ul className="divide-y border-t">
          {missing.slice(0, shown).map((one) => (
            <li key={one.workload_id} className="py-1.5">
              <details>
                <summary className="cursor-pointer rounded-sm py-0.5">
                  <span className="ml-1 inline-flex flex-wrap items-baseline gap-x-2 align-middle">
                    <span className="font-medium [overflow-wrap:anywhere]">{one.workload_name}</span>
                    <Status tone={LEVEL_LABELS[one.level].tone}>{t(LEVEL_LABELS[one.level].word)}</Status>
                    <span className="tabular-nums">{formatPercent(one.score)}</span>
                  </span>
                </summary>
                <div className="py-2">
                  <EvidenceContent visibility={one} withLevel={false} />
                </div>
              </details>
            </li>
          ))}
        </ul>
      )}
      {missing.length > shown && (
        <button type="button" className="link min-h-6 self-start" onClick={() => setShown(shown + 4 * PAGE)}>
          {t('Show more of {n, number} workloads', { n: missing.length })}
        </button>
      )}
    </div>
  );
}
