import type { SecurityRule } from '@/domain/policies';
import type { Translate } from '@/lib/i18n/translator';
import { ACTION_WORDS, PROTOCOL_WORDS } from '../editor/rule-words';

type Rule = Omit<SecurityRule, 'id' | 'position'>;

/** `Accept TCP to port 443, 8000-8080, log info (web)`: a rule of a policy on one line. */
export function securityRuleText(t: Translate, rule: Rule): string {
  const parts = [
    t(ACTION_WORDS[rule.action]),
    rule.protocol === 'any' ? t('any protocol') : t(PROTOCOL_WORDS[rule.protocol]),
  ];
  if (rule.icmp_type) parts.push(t('type {type}', { type: rule.icmp_type }));
  if (rule.source_ports.length > 0) parts.push(t('from port {port}', { port: rule.source_ports.join(', ') }));
  if (rule.destination_ports.length > 0) parts.push(t('to port {port}', { port: rule.destination_ports.join(', ') }));
  const notes = [
    ...(rule.log === 'nolog' ? [] : [t('log {level}', { level: rule.log })]),
    ...(rule.enabled ? [] : [t('disabled')]),
  ];
  return `${parts.join(' ')}${notes.map((note) => `, ${note}`).join('')}${rule.comment ? ` (${rule.comment})` : ''}`;
}
