import type { HostFirewallRule } from '@/domain/host-firewall';
import { useT } from '@/lib/i18n/use-t';
import { Status } from '@/ui/status';
import { HOST_RULE_REASON_LABELS, HOST_RULE_STATES } from './host-rule-labels';

type Props = { rule: Pick<HostFirewallRule, 'status' | 'status_reason' | 'errors'> };

/** Whether a rule filters anything, and why not. */
export function HostRuleState({ rule: { status, status_reason: reason, errors } }: Props) {
  const t = useT();
  const { tone, label } = HOST_RULE_STATES[status];
  const why = errors ? Object.values(errors).join(' ') : reason && t(HOST_RULE_REASON_LABELS[reason]);
  return (
    <span className="inline-flex min-w-0 flex-wrap items-baseline gap-x-1.5" title={why ?? undefined}>
      <Status tone={tone}>{t(label)}</Status>
      {why && <span className="text-muted">{why}</span>}
    </span>
  );
}
