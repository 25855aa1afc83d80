import type { z } from 'zod';
import type { InterfaceEnforcement } from '@/domain/policy-guests';
import { useT } from '@/lib/i18n/use-t';
import { ENFORCEMENT_REASON_WORDS } from './enforcement-reason-words';
import { ProtectionState } from './inventory-states';

type Interface = z.output<typeof InterfaceEnforcement>;

/** What each network card does with packets that no rule is about; where its firewall is off or unknown, why. */
export function InterfaceEnforcementList({ interfaces }: { interfaces: readonly Interface[] }) {
  const t = useT();
  return (
    <ul aria-label={t('Network cards')} className="flex flex-col gap-1">
      {interfaces.map(({ name, protection, reasons }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-2">
          <span className="mono">{name}</span>
          <ProtectionState protection={protection} />
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
