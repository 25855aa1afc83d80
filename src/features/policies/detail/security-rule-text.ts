import type { SecurityRule } from '@/domain/policies';
import { ACTION_WORDS, PROTOCOL_WORDS } from '../editor/rule-words';

type Rule = Omit<SecurityRule, 'id' | 'position'>;

/** `Accept TCP to port 443, 8000-8080, log info (web)`: a rule of a policy on one line. */
export function securityRuleText(rule: Rule): string {
  const parts = [ACTION_WORDS[rule.action], rule.protocol === 'any' ? 'any protocol' : PROTOCOL_WORDS[rule.protocol]];
  if (rule.icmp_type) parts.push(`type ${rule.icmp_type}`);
  if (rule.source_ports.length > 0) parts.push(`from port ${rule.source_ports.join(', ')}`);
  if (rule.destination_ports.length > 0) parts.push(`to port ${rule.destination_ports.join(', ')}`);
  const notes = [...(rule.log === 'nolog' ? [] : [`log ${rule.log}`]), ...(rule.enabled ? [] : ['disabled'])];
  return `${parts.join(' ')}${notes.map((note) => `, ${note}`).join('')}${rule.comment ? ` (${rule.comment})` : ''}`;
}
