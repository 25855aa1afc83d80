import type { z } from 'zod';
import type { InterfaceEnforcement } from '@/domain/policy-guests';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status } from '@/ui/status';
import { ENFORCEMENT_REASON_WORDS } from './enforcement-reason-words';

type Interface = z.output<typeof InterfaceEnforcement>;

const WORDS = {
  on: { tone: 'ok', word: msg('Filtered') },
  off: { tone: 'danger', word: msg('Not filtered') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
} as const;

/** Whether the rules of each network card count, and if not, why. */
export function InterfaceEnforcementList({ interfaces }: { interfaces: readonly Interface[] }) {
  const t = useT();
  return (
    <ul aria-label={t('Network cards')} className="flex flex-col gap-1">
      {interfaces.map(({ name, status, reasons }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-2">
          <span className="mono">{name}</span>
          <Status tone={WORDS[status].tone}>{t(WORDS[status].word)}</Status>
          {reasons.length > 0 && (
            <span className="text-muted">
              {reasons.map((reason) => t(ENFORCEMENT_REASON_WORDS[reason])).join(', ')}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
