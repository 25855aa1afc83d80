import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import { useT } from '@/lib/i18n/use-t';
import { commentText, matchText } from './firewall-rule-text';

const VERDICTS: Record<string, string> = { ACCEPT: 'text-ok', DROP: 'text-danger', REJECT: 'text-warn' };

type Rule = Omit<FirewallRuleView, 'owner' | 'policy_id' | 'policy_version' | 'rule_hash' | 'errors'>;

/** A rule on one line: direction, verdict, what it matches, and its comment. */
export function FirewallRuleLine({ rule }: { rule: Rule }) {
  const t = useT();
  const comment = commentText(rule.comment);
  return (
    <span className={`min-w-0 [overflow-wrap:anywhere] ${rule.enabled ? '' : 'text-faint line-through'}`}>
      <span className="mono">
        {rule.type === 'group' ? (
          t('group {name}', { name: rule.action })
        ) : (
          <>
            <span className="text-muted">{rule.type}</span>{' '}
            <span className={`font-semibold ${VERDICTS[rule.action] ?? ''}`}>{rule.action}</span> {matchText(t, rule)}
          </>
        )}
        {rule.log && rule.log !== 'nolog' && (
          <span className="text-muted"> {t('log {level}', { level: rule.log })}</span>
        )}
      </span>
      {comment && <span className="text-muted"> {comment}</span>}
      {!rule.enabled && <span className="sr-only"> {t('(disabled)')}</span>}
    </span>
  );
}
