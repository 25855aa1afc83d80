import { toAuditAction } from '@/domain/flow-action';
import type { PacketVerdict } from '@/domain/guest-firewall';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Notice } from '@/ui/notice';
import { PolicyLink } from '../shared/entity-links';
import { FirewallRuleLine } from '../shared/firewall-rule';
import { ACTION_LABELS, rulesText, WOULD_LABELS } from '../shared/verdict-labels';
import { RuleOwner } from './rule-owner';

type Interface = PacketVerdict['interfaces'][number];

/** What happens to the packet at each interface, what decides it, and what policies in audit mode would do. */
export function PacketVerdictView({ verdict }: { verdict: PacketVerdict }) {
  const t = useT();
  return (
    <div className="flex flex-col gap-4">
      {verdict.interfaces.length === 0 && (
        <Notice tone="warn" title={t('No interface to test')}>
          {t('The workload has no interfaces, or the interfaces could not be read.')}
        </Notice>
      )}
      {verdict.interfaces.map((card) => (
        <AtCard key={card.name} card={card} />
      ))}
      {verdict.audit.length > 0 && (
        <div className="flex flex-col gap-1">
          <h3 className="font-medium">{t('If policies in audit mode were enforced')}</h3>
          <ul>
            {verdict.audit.map((policy) => (
              <li key={policy.policy_id} className="flex flex-wrap items-baseline gap-2">
                <Badge tone={WOULD_LABELS[toAuditAction(policy.verdict)].tone}>
                  {t(WOULD_LABELS[toAuditAction(policy.verdict)].label)}
                </Badge>
                <span>
                  {t.rich('by {policy}', { policy: <PolicyLink id={policy.policy_id} name={policy.name} /> })}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function AtCard({ card }: { card: Interface }) {
  const t = useT();
  const { rules_say, audit_say } = card;
  const { tone, label } = ACTION_LABELS[rules_say.action];
  const { rule, group, explanation, undecided_rules: undecided } = card.decided_by;
  return (
    <section aria-label={t('Result at {card}', { card: card.name })} className="flex flex-col gap-1.5">
      <h3 className="flex items-center gap-2 font-medium">
        <span className="mono">{card.name}</span>
        <Badge tone={tone}>{t(label)}</Badge>
        {audit_say.map(({ policy_id, action }) => (
          <Badge key={policy_id} tone={WOULD_LABELS[action].tone}>
            {t(WOULD_LABELS[action].label)}
          </Badge>
        ))}
        <span className="font-normal text-muted">{rulesText(t, rules_say)}</span>
      </h3>
      <p className="text-pretty">
        {explanation} {rules_say.read_at && t('Last read {time}.', { time: formatDateTime(rules_say.read_at) })}
      </p>
      {rule && (
        <div className="rounded-md border bg-surface-2 px-3 py-1.5">
          {rule.position !== null && <span className="mono text-faint">{rule.position} </span>}
          <FirewallRuleLine rule={rule} />
          <p className="text-muted">
            {group ? (
              t.rich('In PVE security group {name}', { name: <span className="mono">{group}</span> })
            ) : (
              <RuleOwner rule={rule} />
            )}
          </p>
        </div>
      )}
      {undecided.length > 0 && (
        <ul aria-label={t('Rules that may match')} className="divide-y rounded-md border">
          {undecided.map((candidate) => (
            <li key={`${candidate.position} ${candidate.comment}`} className="px-3 py-1.5">
              <FirewallRuleLine rule={candidate} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
