import type { ReactNode } from 'react';
import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';

type Matching = Pick<
  FirewallRuleView,
  | 'type'
  | 'action'
  | 'protocol'
  | 'source'
  | 'destination'
  | 'source_port'
  | 'destination_port'
  | 'icmp_type'
  | 'macro'
  | 'interface'
  | 'visibility'
>;

/** What a rule matches, without its verdict: `tcp from 10.0.0.0/24 to port 443 on net0`; `everything` when nothing limits it. */
export function matchText(t: Translate, rule: Matching): string {
  if (rule.visibility === 'hidden' || rule.visibility === 'name') return t('Not shown to tenants');
  const parts = [
    rule.macro && t('{name} (macro)', { name: rule.macro }),
    rule.protocol,
    rule.icmp_type && t('type {type}', { type: rule.icmp_type }),
    rule.source && t('from {source}', { source: rule.source }),
    rule.source_port && t('from port {port}', { port: rule.source_port }),
    rule.destination && t('to {destination}', { destination: rule.destination }),
    rule.destination_port && t('to port {port}', { port: rule.destination_port }),
    rule.interface && t('on {name}', { name: rule.interface }),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : t('everything');
}

/** The comment without the marker in front of it, which is for programs. */
export const commentText = (comment: string): string => comment.replace(/^\[fabric [^\]]*\]\s*/, '');

const VERDICTS: Record<string, string> = { ACCEPT: 'text-ok', DROP: 'text-danger', REJECT: 'text-warn' };

type RuleOnLine = Omit<FirewallRuleView, 'owner' | 'policy_id' | 'policy_version' | 'rule_hash' | 'errors'>;

/** A rule on one line: direction, verdict, what it matches, and its comment. */
export function FirewallRuleLine({ rule }: { rule: RuleOnLine }) {
  const t = useT();
  const comment = commentText(rule.comment);
  return (
    <span className={`min-w-0 [overflow-wrap:anywhere] ${rule.enabled ? '' : 'text-faint line-through'}`}>
      <span className="mono">
        {rule.type === 'group' ? (
          t('PVE security group {name}', { name: rule.action })
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

export type RuleListRow = { rule: FirewallRuleView; mark?: ReactNode };

/** Firewall rules line by line, each with its place when it is live, and a mark. */
export function RuleList({ label, rows }: { label: string; rows: readonly RuleListRow[] }) {
  return (
    <ul aria-label={label} className="divide-y rounded-md border bg-surface">
      {rows.map(({ rule, mark }, index) => (
        // Rules may be there twice, and have no identity but their place in the list.
        // biome-ignore lint/suspicious/noArrayIndexKey: as said.
        <li key={index} className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 px-3 py-1.5">
          {mark}
          {rule.position !== null && <span className="mono text-faint">{rule.position}</span>}
          <span className="min-w-0 flex-1 basis-60">
            <FirewallRuleLine rule={rule} />
          </span>
        </li>
      ))}
    </ul>
  );
}
