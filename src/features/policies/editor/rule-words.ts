import type { RULE_ACTIONS, RULE_LOG_LEVELS, RuleProtocol } from '@/domain/policy/policy';

export const ACTION_WORDS: Record<(typeof RULE_ACTIONS)[number], string> = {
  accept: 'Accept',
  drop: 'Drop',
  reject: 'Reject',
};

export const PROTOCOL_WORDS: Record<RuleProtocol, string> = {
  any: 'Any',
  tcp: 'TCP',
  udp: 'UDP',
  'tcp/udp': 'TCP/UDP',
  icmp: 'ICMP',
  icmpv6: 'ICMPv6',
  sctp: 'SCTP',
};

export const LOG_WORDS: Record<(typeof RULE_LOG_LEVELS)[number], string> = {
  nolog: 'No log',
  emerg: 'Log: emerg',
  alert: 'Log: alert',
  crit: 'Log: crit',
  err: 'Log: err',
  warning: 'Log: warning',
  notice: 'Log: notice',
  info: 'Log: info',
  debug: 'Log: debug',
};
