import type { FirewallRuleView } from '@/domain/firewall/rule-view';

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
>;

/** What a rule matches, without its verdict: `tcp from 10.0.0.0/24 to port 443 on net0`; `everything` when nothing limits it. */
export function matchText(rule: Rule): string {
  const parts = [
    rule.macro && `${rule.macro} (macro)`,
    rule.protocol,
    rule.icmp_type && `type ${rule.icmp_type}`,
    rule.source && `from ${rule.source}`,
    rule.source_port && `from port ${rule.source_port}`,
    rule.destination && `to ${rule.destination}`,
    rule.destination_port && `to port ${rule.destination_port}`,
    rule.interface && `on ${rule.interface}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : 'everything';
}

/** The whole rule as one line, for search, copying and assistive technology. */
export function ruleText(rule: Rule): string {
  if (rule.type === 'group') return `group ${rule.action}${rule.interface ? ` on ${rule.interface}` : ''}`;
  return `${rule.type} ${rule.action} ${matchText(rule)}`;
}

/** The comment without the marker in front of it, which is for programs. */
export const commentText = (comment: string): string => comment.replace(/^\[fabric [^\]]*\]\s*/, '');
