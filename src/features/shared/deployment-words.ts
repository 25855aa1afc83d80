import type { StaleRuleReason } from '@/domain/policy/diff';
import type { UnresolvedReason } from '@/domain/policy/resolve';
import type { DeploymentReason, DeploymentStatus } from '@/domain/policy/status';
import type { Tone } from '@/ui/tone';

export const STATUS_WORDS: Record<DeploymentStatus | 'none', { tone: Tone; word: string; meaning: string }> = {
  active: { tone: 'ok', word: 'Active', meaning: 'Every rule is live as wanted, and the firewall enforces it.' },
  partial: { tone: 'warn', word: 'Partial', meaning: 'Some rules are live and in force, others are not.' },
  stale: {
    tone: 'danger',
    word: 'Stale',
    meaning: 'What is live is not what the policy says now. Apply it to mend that.',
  },
  unresolved: {
    tone: 'danger',
    word: 'Unresolved',
    meaning: 'Its endpoints stand for nothing, so there are no rules.',
  },
  none: { tone: 'off', word: 'Not deployed', meaning: 'Nothing is to be deployed, and nothing of it is live.' },
};

/** Why a policy is not simply active, as a sentence that says where to look. */
export const REASON_WORDS: Record<DeploymentReason, string> = {
  never_applied: 'It was never applied here.',
  version_behind: 'Live rules are of an older version.',
  content_differs: 'Somebody edited a live rule of this policy.',
  set_differs: 'A set of addresses on a guest differs from what was written.',
  missing_rule: 'Rules are missing on a guest.',
  disabled_rule: 'Somebody disabled a live rule of this policy.',
  duplicate_rule: 'A live rule stands there twice.',
  leftover: 'Rules are live that nothing wants any more.',
  order_differs: 'Live rules stand in the wrong order.',
  foreign_shadow: 'A rule made elsewhere stands where it decides before this policy.',
  nic_flag_off: 'A network card has its firewall flag off.',
  guest_firewall_off: 'The firewall of a guest is off.',
  cluster_firewall_off: 'The firewall of the cluster is off: nothing on it is filtered.',
  default_policy_differs: 'The default policy of a guest is not to drop, as this policy asks.',
  enforcement_unknown: 'Whether the firewall of a guest filters could not be read.',
  guest_missing: 'A guest is gone from the cluster.',
  unreadable: 'A guest could not be read, so nobody knows what is live there.',
  unresolved_endpoint: 'An endpoint stands for nothing and yields no rule.',
};

/** Why an endpoint stands for nothing. */
export const UNRESOLVED_WORDS: Record<UnresolvedReason, string> = {
  invalid: 'This is no endpoint',
  not_found: 'Nothing has this name',
  ambiguous: 'Several things have this name; name one by its id or number',
  empty: 'It stands for no workload now',
  not_a_workload: 'Rules stand at workloads only, and this is none',
  template: 'Only templates, which never run',
  no_address: 'No address of it is known',
};

/** Why a live rule of ours goes. */
export const STALE_RULE_WORDS: Record<StaleRuleReason, string> = {
  outdated_version: 'Older version',
  content_differs: 'Edited on the cluster',
  disabled: 'Disabled on the cluster',
  duplicate: 'There twice',
  leftover: 'No longer wanted',
  other_vmid: 'Came with a clone or restore',
  foreign_instance: 'Of another installation',
};
