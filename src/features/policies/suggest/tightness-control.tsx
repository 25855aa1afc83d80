'use client';
import { useEffect, useState } from 'react';
import type { Suggestion } from '@/domain/suggestion/suggestion';
import { formatPercent } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Meter } from '@/ui/meter';
import { Section } from '@/ui/section';
import type { Choices } from './use-suggestion';

/** How much a draft is, as it is stored. */
const countDraft = ({ groups, policies }: Suggestion) => ({
  groups_total: groups.length,
  policies_total: policies.length,
  rules_total: policies.reduce((total, { rules }) => total + rules.length, 0),
});

/** Chooses between few broad rules and many tight ones, with what each choice is worth. */
export function TightnessControl({ suggestion, choices }: { suggestion: Suggestion; choices: Choices }) {
  const t = useT();
  const { positions, position, recommended, is_edited, version } = suggestion;
  const stored = Math.max(
    0,
    positions.findIndex((one) => one.position === position),
  );
  const [at, setAt] = useState(stored);
  useEffect(() => setAt(stored), [stored]);
  const shown = positions[at];
  // Edited groups and addresses have scores and totals of their own.
  const isStored = at === stored || !shown;
  const scores = isStored ? suggestion : shown;
  const totals = isStored ? countDraft(suggestion) : shown;
  const commit = () => {
    const isSent = choices.isPending && choices.variables?.tightness === shown?.position;
    if (at !== stored && shown && !isSent) choices.choose({ tightness: shown.position, version });
  };
  const best = positions.findIndex((one) => one.position === recommended);
  return (
    <Section
      title={t('Coverage and tightness')}
      description={t('The last quarter of the time is held out: it measures the draft and is no part of it.')}
      actions={
        best >= 0 &&
        (best !== stored || is_edited) && (
          <Button size="sm" onClick={() => choices.choose({ tightness: recommended ?? 1, version })}>
            {t('Use recommended')}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4" aria-busy={at !== stored && !choices.isError}>
        <label className="flex flex-col gap-1">
          <span className="flex justify-between text-muted">
            <span>{t('Few broad rules')}</span>
            <span>{t('Many tight rules')}</span>
          </span>
          <input
            type="range"
            min={0}
            max={positions.length - 1}
            step={1}
            value={at}
            aria-label={t('Tightness')}
            aria-valuetext={t(
              '{groups, plural, one {# group} other {# groups}}, {rules, plural, one {# rule} other {# rules}}, tightness {share}',
              {
                groups: totals.groups_total,
                rules: totals.rules_total,
                share: scores.tightness === null ? t('Unknown') : formatPercent(scores.tightness),
              },
            )}
            className="w-full accent-accent"
            onChange={(event) => setAt(Number(event.target.value))}
            onPointerUp={commit}
            onKeyUp={commit}
            onBlur={commit}
          />
        </label>
        <div className="grid gap-4 sm:grid-cols-3">
          <Score label={t('Coverage, held-out part')} share={scores.coverage.held_out} />
          <Score label={t('Coverage, training part')} share={scores.coverage.training} />
          <Score label={t('Tightness')} share={scores.tightness} />
        </div>
        <p className="text-muted">
          {t(
            '{groups, plural, one {# group} other {# groups}}, {policies, plural, one {# policy} other {# policies}}, {rules, plural, one {# rule} other {# rules}}',
            {
              groups: totals.groups_total,
              policies: totals.policies_total,
              rules: totals.rules_total,
            },
          )}
        </p>
      </div>
    </Section>
  );
}

function Score({ label, share }: { label: string; share: number | null }) {
  return (
    <div className="flex flex-col gap-1">
      <span className="text-muted">{label}</span>
      <Meter label={label} share={share} />
    </div>
  );
}
