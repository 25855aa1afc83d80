import type { FirewallRuleView } from '@/domain/firewall/rule-view';
import type { Translate } from '@/lib/i18n/translator';

type Rule = Pick<
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
export function matchText(t: Translate, rule: Rule): string {
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
