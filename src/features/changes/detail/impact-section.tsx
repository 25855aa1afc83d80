'use client';
import { useState } from 'react';
import type { Change } from '@/domain/change/change';
import { EDITABLE_STATES } from '@/domain/change/states';
import { useT } from '@/lib/i18n/use-t';
import { Section } from '@/ui/section';
import { ImpactPanel } from '../../shared/impact/impact-panel';
import { OpenImpact } from '../../shared/impact/impact-summary';
import { useAskChangeImpact } from '../use-change-steps';

/** What all edits together do to connections: computed on request, or as it was acknowledged when the change was applied. */
export function ImpactSection({ change }: { change: Change }) {
  const t = useT();
  const { id, content_hash, state, impact_id: acknowledged } = change;
  const ask = useAskChangeImpact(id);
  const [asked, setAsked] = useState<string | null>(null);
  if (EDITABLE_STATES.some((one) => one === state)) {
    return (
      <ImpactPanel
        question={asked === null ? null : { key: ['stored-change', id, asked], ask }}
        onAsk={() => setAsked(content_hash)}
        isChanged={asked !== null && asked !== content_hash}
      />
    );
  }
  return (
    <Section id="impact" title={t('Impact')}>
      {acknowledged ? (
        <p className="flex flex-wrap items-center gap-x-3">
          {t('Acknowledged when the change was applied.')} <OpenImpact id={acknowledged} />
        </p>
      ) : (
        <p className="text-muted">{t('Applied without an impact.')}</p>
      )}
    </Section>
  );
}
