'use client';
import { useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { loadLater } from '@/ui/load-on-opening';
import type { ImpactQuestion } from '../../shared/impact/use-impact';
import type { PolicyValues } from './policy-form-values';

/** Loaded after the form: most users type first. */
const ImpactPanel = loadLater(() => import('../../shared/impact/impact-panel').then((module) => module.ImpactPanel));

type Props<Out> = {
  form: UseFormReturn<PolicyValues, unknown, Out>;
  impactOf: (input: Out) => ImpactQuestion;
  /** The stored policy is enforced: without that, its rules are removed. */
  enforcedBefore: boolean;
};

/** Everything but the texts, which change no rule. */
const toContentKey = ({ name: _, description: __, reason: ___, ...content }: PolicyValues) => JSON.stringify(content);

/** The impact of what is in the form, saved or not, as it was when it was asked for. */
export function DraftImpact<Out>({ form, impactOf, enforcedBefore }: Props<Out>) {
  const [asked, setAsked] = useState<{ content: string; question: ImpactQuestion } | null>(null);
  const values = useWatch({ control: form.control }) as PolicyValues;
  const content = toContentKey(values);
  const isEnforced = values.enabled && values.definition.enforcement_mode === 'enforced';
  const ask = form.handleSubmit((input) =>
    setAsked({ content: toContentKey(form.getValues()), question: impactOf(input) }),
  );
  return (
    <ImpactPanel
      question={asked?.question ?? null}
      isChanged={asked !== null && asked.content !== content}
      isAsIf={!isEnforced && !enforcedBefore}
      onAsk={() => void ask()}
    />
  );
}
