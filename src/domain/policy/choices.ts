// What can be chosen in a policy and its rules: its editor needs these words without those of all lists.

export const DEFAULT_ACTIONS = ['none', 'drop'] as const;
export const ENFORCEMENT_MODES = ['enforced', 'audit'] as const;
export const POLICY_DIRECTIONS = ['in', 'out', 'both'] as const;
export const RULE_ACTIONS = ['accept', 'drop', 'reject'] as const;
export const RULE_LOG_LEVELS = [
  'nolog',
  'emerg',
  'alert',
  'crit',
  'err',
  'warning',
  'notice',
  'info',
  'debug',
] as const;
export const RULE_PROTOCOLS = ['any', 'tcp', 'udp', 'tcp/udp', 'icmp', 'icmpv6', 'sctp'] as const;
export const protocolHasPorts = (protocol: (typeof RULE_PROTOCOLS)[number]): boolean =>
  ['tcp', 'udp', 'tcp/udp', 'sctp'].includes(protocol);

/** In front of an endpoint of a policy test: everything outside of it. */
export const EXCEPT = '!';
