/** One firewall rule as the parser leaves it and the API returns it (without `pos` and `digest`). */
export type FirewallRule = {
  type: string;
  action: string;
  enable?: number;
  macro?: string;
  iface?: string;
  source?: string;
  dest?: string;
  proto?: string;
  dport?: string;
  sport?: string;
  'icmp-type'?: string;
  log?: string;
  comment?: string;
  /** Family the rule is limited to by its addresses or protocol. */
  ipversion?: 4 | 6;
  /** Present when the stored rule is invalid; such a rule is not enforced. */
  errors?: Record<string, string>;
};

/** Where rules stand decides what they may say. `vm` and `ct` are guests. */
export type RuleScope = 'cluster' | 'group' | 'host' | 'vm' | 'ct' | 'vnet';

/** Fields a caller may set, as opposed to what the parser adds. */
export const RULE_FIELDS = [
  'type',
  'action',
  'enable',
  'macro',
  'iface',
  'source',
  'dest',
  'proto',
  'dport',
  'sport',
  'icmp-type',
  'log',
  'comment',
] as const;

/** Perl's idea of truth: the server drops values for which it does not hold, among them the text `0`. */
export const isPerlTrue = (value: string | number | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value !== 0;
