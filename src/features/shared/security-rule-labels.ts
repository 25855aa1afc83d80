import type { SecurityRule } from '@/domain/policies';
import type { RULE_ACTIONS, RULE_LOG_LEVELS } from '@/domain/policy/choices';
import type { RuleProtocol } from '@/domain/policy/policy';
import type { Responsibility } from '@/domain/policy/responsibility';
import { formatDateTime } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';

export const ACTION_LABELS: Record<(typeof RULE_ACTIONS)[number], string> = {
  accept: msg('Accept'),
  drop: msg('Drop'),
  reject: msg('Reject'),
};

export const PROTOCOL_LABELS: Record<RuleProtocol, string> = {
  any: msg('Any'),
  tcp: 'TCP',
  udp: 'UDP',
  'tcp/udp': 'TCP/UDP',
  icmp: 'ICMP',
  icmpv6: 'ICMPv6',
  sctp: 'SCTP',
};

/** Whether hits are logged, and with which level. */
export const logText = (t: Translate, level: (typeof RULE_LOG_LEVELS)[number]): string =>
  level === 'nolog' ? t('No log') : t('Log: {level}', { level });

type Rule = Omit<SecurityRule, 'id' | 'position' | keyof Responsibility> & Partial<Responsibility>;

/** `Accept TCP to port 443, 8000-8080, log info (web)`: a rule of a policy on one line. */
export function securityRuleText(t: Translate, rule: Rule): string {
  const parts = [
    t(ACTION_LABELS[rule.action]),
    rule.protocol === 'any' ? t('any protocol') : t(PROTOCOL_LABELS[rule.protocol]),
  ];
  if (rule.icmp_type) parts.push(t('type {type}', { type: rule.icmp_type }));
  if (rule.source_ports.length > 0) parts.push(t('from port {port}', { port: rule.source_ports.join(', ') }));
  if (rule.destination_ports.length > 0) parts.push(t('to port {port}', { port: rule.destination_ports.join(', ') }));
  const notes = [
    ...(rule.log === 'nolog' ? [] : [t('log {level}', { level: rule.log })]),
    ...(rule.enabled ? [] : [t('disabled')]),
    ...(rule.owner ? [t('owner {owner}', { owner: rule.owner })] : []),
    ...(rule.ticket ? [t('ticket {ticket}', { ticket: rule.ticket })] : []),
    ...(rule.expires_at ? [t('expires {time}', { time: formatDateTime(rule.expires_at) })] : []),
  ];
  return `${parts.join(' ')}${notes.map((note) => `, ${note}`).join('')}${rule.comment ? ` (${rule.comment})` : ''}`;
}
