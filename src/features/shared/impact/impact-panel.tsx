'use client';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { TimeRangeControl } from '../time-range-control';
import { OpenImpact } from './impact-summary';
import { ImpactView } from './impact-view';
import { DAY, IMPACT_SPANS, type ImpactQuestion, useAskedImpact } from './use-impact';

type Props = {
  /** Null: nothing was asked for yet. */
  question: ImpactQuestion | null;
  /** Asks for it, or again after the content changed. */
  onAsk?: () => void;
  /** The content differs from what the impact was computed of. */
  isChanged?: boolean;
  /** The policy is not enforced: computed is what enforcing it would do. */
  isAsIf?: boolean;
  showTests?: boolean;
};

/** The impact of a change on the page where it is made: computed on request, over a chosen time range. */
export function ImpactPanel({ question, onAsk, isChanged = false, isAsIf = false, showTests }: Props) {
  const t = useT();
  const [range, setRange] = useState(DAY);
  const { impact, error, asking, again } = useAskedImpact(question, range);
  const compute = onAsk && (question === null || isChanged) ? onAsk : again;
  return (
    <Section
      title={t('Impact')}
      description={
        isAsIf
          ? t('What enforcing the policy would do to observed connections, and to any packet.')
          : t('What the change does to observed connections, and to any packet.')
      }
      bare
      actions={
        <>
          {impact && <OpenImpact id={impact.id} />}
          <TimeRangeControl {...range} spans={IMPACT_SPANS} onChange={setRange} />
          <Button onClick={compute} pending={asking}>
            {question === null ? t('Compute impact') : t('Compute again')}
          </Button>
        </>
      }
    >
      {question === null ? (
        <div className="rounded-lg border bg-surface">
          <EmptyState title={t('Not computed yet')}>
            {t('Compute the impact to see which connections the change would cut or allow.')}
          </EmptyState>
        </div>
      ) : error ? (
        <ErrorState problem={toFailure(error)} onRetry={compute} pending={asking} />
      ) : impact ? (
        <div className="flex min-w-0 flex-col gap-4">
          {isChanged && (
            <Notice tone="warn" live title={t('The content changed since this impact was computed')}>
              {t('Compute the impact again to include the changes.')}
            </Notice>
          )}
          <ImpactView impact={impact} onCompute={compute} pending={asking} showTests={showTests} />
        </div>
      ) : (
        <div aria-busy="true">
          <Skeleton className="h-32 w-full" />
        </div>
      )}
    </Section>
  );
}
