import type { DeploymentReason, DeploymentStatus } from '../policy/status';

/** What someone changed outside the policy; a change that only waits for an apply is no drift. */
const DRIFT_WORDS: Partial<Record<DeploymentReason, string>> = {
  content_differs: 'a live rule was edited',
  set_differs: 'an IP set differs from what was written',
  missing_rule: 'rules are missing',
  disabled_rule: 'a live rule is disabled',
  duplicate_rule: 'a live rule exists twice',
  leftover: 'there are live rules that no policy requires',
  order_differs: 'live rules are in the wrong order',
  foreign_shadow: 'an unmanaged rule is evaluated first',
  nic_flag_off: 'the firewall flag of an interface is off',
  guest_firewall_off: 'the guest firewall of a workload is off',
  cluster_firewall_off: 'the cluster firewall is off',
  default_policy_differs: 'the default policy of a workload differs',
};

/** Reasons as text, in one sentence without its end. */
export const reasonsText = (reasons: readonly DeploymentReason[]): string =>
  reasons.map((reason) => DRIFT_WORDS[reason] ?? OTHER_WORDS[reason] ?? reason.replaceAll('_', ' ')).join(', ');

const OTHER_WORDS: Partial<Record<DeploymentReason, string>> = {
  unreadable: 'a workload could not be read',
  enforcement_unknown: 'whether a firewall filters is not known',
  guest_missing: 'a workload no longer exists in the cluster',
};

const UNKNOWN: readonly DeploymentReason[] = ['unreadable', 'enforcement_unknown'];

type Standing = {
  readonly status: DeploymentStatus | null;
  readonly deployments: readonly { readonly reasons: readonly DeploymentReason[] }[];
};

/**
 * Whether a policy drifted: its live state differs from the desired state, and not because it has not been applied
 * yet. With the reasons as text; null when it did not drift, `unknown` when something unreadable leaves that open.
 */
export function describeDrift({ status, deployments }: Standing): string | 'unknown' | null {
  // Where it was never applied nothing can have been changed.
  const applied = deployments.filter((deployment) => !deployment.reasons.includes('never_applied'));
  const reasons = [...new Set(applied.flatMap((deployment) => deployment.reasons))];
  const words = reasons.flatMap((reason) => DRIFT_WORDS[reason] ?? []);
  if (words.length > 0 && (status === 'stale' || status === 'partial')) {
    const text = words.join(', ');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }
  return reasons.some((reason) => UNKNOWN.includes(reason)) ? 'unknown' : null;
}
