/**
 * What is found about a rule. `contradictory`: a rule evaluated before it does the opposite with some of its packets.
 * `shadowed`: it never decides. `broad`: ports or endpoints of it were never used. `unresolved`: an endpoint resolves to nothing.
 * `unused`: it allows what was never seen. `redundant`: without it the same would be decided. `expired`: its time is over.
 * `denied`: it drops or rejects traffic that is seen.
 */
export const HYGIENE_KINDS = [
  'contradictory',
  'shadowed',
  'expired',
  'unresolved',
  'broad',
  'unused',
  'redundant',
  'denied',
] as const;
export type HygieneKind = (typeof HYGIENE_KINDS)[number];

export const HARMS = ['high', 'medium', 'low'] as const;
export type Harm = (typeof HARMS)[number];
/** The lowest score of each. */
export const LEAST_SCORE = { high: 70, medium: 40 } as const;
export const toHarm = (score: number): Harm =>
  score >= LEAST_SCORE.high ? 'high' : score >= LEAST_SCORE.medium ? 'medium' : 'low';

export const HYGIENE_SORTS = [
  'harm',
  'kind',
  'policy_name',
  'workload_name',
  'workloads_affected',
  'first_seen_at',
] as const;

/** Why nothing is claimed about a rule at a workload. */
export const UNKNOWN_ROLE_REASONS = ['not_read', 'not_enforced', 'not_in_sync', 'undecided'] as const;
export type UnknownRoleReason = (typeof UNKNOWN_ROLE_REASONS)[number];

/** Why nothing is claimed: about the role of a rule on a workload, or about the use of a policy. */
export const HYGIENE_UNKNOWNS = [...UNKNOWN_ROLE_REASONS, 'not_monitored', 'too_much_traffic'] as const;
export type HygieneUnknown = (typeof HYGIENE_UNKNOWNS)[number];
