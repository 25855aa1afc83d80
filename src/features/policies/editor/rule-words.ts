import type { RULE_ACTIONS, RULE_LOG_LEVELS, RuleProtocol } from '@/domain/policy/policy';
import { msg, type Translate } from '@/lib/i18n/translator';

export const ACTION_WORDS: Record<(typeof RULE_ACTIONS)[number], string> = {
  accept: msg('Accept'),
  drop: msg('Drop'),
  reject: msg('Reject'),
};

export const PROTOCOL_WORDS: Record<RuleProtocol, string> = {
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
