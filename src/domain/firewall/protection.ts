export const PROTECTIONS = ['default_deny', 'rules_default_accept', 'no_rules', 'off', 'unknown'] as const;
/**
 * What happens to inbound packets that no rule was written for:
 * - `default_deny`: they are dropped or rejected by the default policy. Only this counts as enforced.
 * - `rules_default_accept`: they are accepted although there are inbound rules. These may drop something, or nothing.
 * - `no_rules`: they are accepted, as is everything else: there is no inbound rule.
 * - `off`: the firewall of the cluster, the guest or the interface is off.
 * - `unknown`: something that affects it could not be read.
 */
export type Protection = (typeof PROTECTIONS)[number];

/** From worst to best. What is certain settles it: an interface that could not be read hides none that is open. */
const WORST_FIRST: readonly Protection[] = ['off', 'no_rules', 'rules_default_accept', 'unknown', 'default_deny'];

/** The protection of a workload is the worst of its interfaces'; null when it has none. */
export const worstProtection = (protections: readonly Protection[]): Protection | null =>
  WORST_FIRST.find((protection) => protections.includes(protection)) ?? null;

export const UNPROTECTED_REASONS = [
  'cluster_firewall_off',
  'guest_firewall_off',
  'nic_flag_off',
  'no_rules',
  'default_accept',
  'accepts_everything',
  'unknown',
] as const;
/**
 * Why an interface is not `default_deny`:
 * - `cluster_firewall_off`, `guest_firewall_off`, `nic_flag_off`: this switch is off. Several can be.
 * - `no_rules`: the default policy accepts, and there is no inbound rule.
 * - `default_accept`: the default policy accepts what no rule matches.
 * - `accepts_everything`: a rule without conditions accepts everything before the default policy.
 * - `unknown`: something that it depends on could not be read.
 */
export type UnprotectedReason = (typeof UNPROTECTED_REASONS)[number];

/** The protection of an interface with every reason why it is not `default_deny`. */
export type ExplainedProtection = {
  readonly protection: Protection;
  readonly reasons: readonly UnprotectedReason[];
};

/** The reasons of all interfaces together, each once, in one order. */
export const sumReasons = (interfaces: readonly ExplainedProtection[]): UnprotectedReason[] =>
  UNPROTECTED_REASONS.filter((reason) => interfaces.some(({ reasons }) => reasons.includes(reason)));
