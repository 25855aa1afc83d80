'use client';
import { useState } from 'react';
import type { Suggestion } from '@/domain/suggestion/suggestion';
import { formatCount } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Section } from '@/ui/section';
import { LEFT_OUT_LABELS } from './suggestion-labels';

/** Those that are shown of one reason before more are asked for. */
const FIRST = 5;

/** Conversations without a rule, by reason. */
export function LeftOutList({ suggestion: { left_out, left_out_totals } }: { suggestion: Suggestion }) {
  const t = useT();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (left_out_totals.length === 0) return null;
  return (
    <Section bare title={t('Left out')} description={t('Conversations that no rule of the draft allows.')}>
      <ul className="divide-y rounded-lg border bg-surface">
        {left_out_totals.map(({ reason, conversations }) => {
          const listed = left_out.filter((one) => one.reason === reason);
          const shown = open.has(reason) ? listed : listed.slice(0, FIRST);
          return (
            <li key={reason} className="flex flex-col gap-1 px-3 py-2">
              <div className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium">{t(LEFT_OUT_LABELS[reason].label)}</span>
                <span className="text-muted">
                  {t('{n, plural, one {# conversation} other {# conversations}}', { n: conversations })}
                </span>
              </div>
              <p className="text-muted">{t(LEFT_OUT_LABELS[reason].hint)}</p>
              {shown.map(({ client, server, service, conversations: count }) => (
                <p key={`${client} ${server} ${service}`} className="font-mono text-sm [overflow-wrap:anywhere]">
                  {client} → {server} {service} ({formatCount(count)})
                </p>
              ))}
              {listed.length > shown.length && (
                <div>
                  <Button size="sm" onClick={() => setOpen((before) => new Set([...before, reason]))}>
                    {t('Show all')}
                  </Button>
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
