'use client';
import { useState } from 'react';
import type { ApplyInput } from '@/domain/deployments';
import type { Impact } from '@/domain/impact/impact';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { type Failure, toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { ImpactSummary } from './impact-summary';
import { DAY, type ImpactQuestion, useAskedImpact } from './use-impact';

/** The user has seen what would be blocked, or applies without knowing. */
export type Consent = 'acknowledged' | 'without';

type Sent = Pick<ApplyInput, 'impact_id' | 'acknowledge_newly_blocked'>;

/** What an apply says about its impact; null: something has to be confirmed first. */
export function sentImpact(impact: Impact | undefined, consent: ReadonlySet<Consent>): Sent | null {
  if (impact?.status !== 'done' || impact.outdated) return consent.has('without') ? {} : null;
  const { newly_blocked: n } = impact.totals;
  if (n === 0) return { impact_id: impact.id };
  return consent.has('acknowledged') ? { impact_id: impact.id, acknowledge_newly_blocked: n } : null;
}

/** Why an apply was refused because of its impact. */
const REFUSALS: Readonly<Record<string, string>> = {
  impact_outdated: msg('The impact is outdated'),
  impact_not_acknowledged: msg('The blocked conversations are not acknowledged'),
  impact_not_done: msg('The impact is not computed yet'),
  impact_of_another_change: msg('The policy changed since the impact was computed'),
};
const getReason = (failure: Failure): string => String(failure.extra?.reason);
export const isImpactRefusal = (failure: Failure): boolean => Object.hasOwn(REFUSALS, getReason(failure));

/** The impact of an apply, and the consent to it. @param question null until it can be asked */
export function useApplyImpact(question: ImpactQuestion | null) {
  const [given, setGiven] = useState<{ of: string | undefined; consent: ReadonlySet<Consent> }>({
    of: undefined,
    consent: new Set(),
  });
  const asked = useAskedImpact(question, DAY);
  const { impact } = asked;
  // Consent to one impact is none to another.
  const consent = given.of === impact?.id ? given.consent : new Set<Consent>();
  return {
    ...asked,
    consent,
    sent: sentImpact(impact, consent),
    give: (one: Consent, isGiven: boolean) => {
      const next = new Set(consent);
      if (isGiven) next.add(one);
      else next.delete(one);
      setGiven({ of: impact?.id, consent: next });
    },
  };
}

/** The impact in the dialog that applies, and what has to be confirmed before. */
export function ApplyImpact({ of }: { of: ReturnType<typeof useApplyImpact> }) {
  const t = useT();
  const { impact, error, asking, again, consent, give } = of;
  const isDone = impact?.status === 'done' && !impact.outdated;
  const failure = error ? toFailure(error) : null;
  return (
    <>
      {failure ? (
        <Notice
          tone="warn"
          live
          title={t('The impact could not be computed')}
          action={
            <Button size="sm" onClick={again} pending={asking}>
              {t('Compute again')}
            </Button>
          }
        >
          {failure.detail ?? failure.title}
        </Notice>
      ) : impact ? (
        <ImpactSummary impact={impact} onCompute={again} pending={asking} />
      ) : (
        <Skeleton className="h-16 w-full" />
      )}
      {isDone ? (
        impact.totals.newly_blocked > 0 && (
          // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox renders the labelled control.
          <label className="flex min-h-6 items-center gap-2 font-medium">
            <Checkbox
              checked={consent.has('acknowledged')}
              onCheckedChange={(checked) => give('acknowledged', checked)}
            />
            {t(
              '{n, plural, one {Block # observed conversation nevertheless} other {Block # observed conversations nevertheless}}',
              {
                n: impact.totals.newly_blocked,
              },
            )}
          </label>
        )
      ) : (
        // biome-ignore lint/a11y/noLabelWithoutControl: as above.
        <label className="flex min-h-6 items-center gap-2">
          <Checkbox checked={consent.has('without')} onCheckedChange={(checked) => give('without', checked)} />
          {t('Apply without the impact: which connections are cut is unknown')}
        </label>
      )}
    </>
  );
}

/** An apply that was refused because of its impact, with the way on. */
export function ImpactRefused({ failure, onPreviewAgain }: { failure: Failure; onPreviewAgain: () => void }) {
  const t = useT();
  return (
    <Notice
      tone="danger"
      live
      title={t(REFUSALS[getReason(failure)] ?? failure.title)}
      action={
        <Button size="sm" onClick={onPreviewAgain}>
          {t('Compute again')}
        </Button>
      }
    >
      {failure.detail}
    </Notice>
  );
}
