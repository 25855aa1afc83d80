import type { StaleRuleReason } from '@/domain/policy/compare-rules';
import type { UnresolvedReason } from '@/domain/policy/resolve';
import type { DeploymentReason, ShownStatus } from '@/domain/policy/status';
import { msg } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

export const STATUS_LABELS: Record<ShownStatus, { tone: Tone; word: string; meaning: string }> = {
  active: {
    tone: 'ok',
    word: msg('In sync'),
    meaning: msg('Every rule is live as wanted, and the firewall enforces it.'),
  },
  pending: {
    tone: 'neutral',
    word: msg('Pending'),
    meaning: msg('The rules or their order were never applied. Apply the policy to write them.'),
  },
  partial: { tone: 'warn', word: msg('Partial'), meaning: msg('Some rules are live and in force, others are not.') },
  stale: {
    tone: 'danger',
    word: msg('Drifted'),
    meaning: msg('What is live is not what the policy says now. Apply it to mend that.'),
  },
  unresolved: {
    tone: 'danger',
    word: msg('Unresolved'),
    meaning: msg('Its endpoints stand for nothing, so there are no rules.'),
  },
  none: {
    tone: 'off',
    word: msg('Not deployed'),
    meaning: msg('Nothing is to be deployed, and nothing of it is live.'),
  },
};

/** Why a policy is not simply active, as a sentence that says where to look. */
export const REASON_LABELS: Record<DeploymentReason, string> = {
  never_applied: msg('It was never applied here.'),
  guest_pending: msg('A guest waits for the next apply.'),
  order_pending: msg('Its rules are evaluated in another order than now required. Apply the policy to change that.'),
  version_behind: msg('Live rules are of an older version.'),
  content_differs: msg('Somebody edited a live rule of this policy.'),
  set_differs: msg('A set of addresses on a guest differs from what was written.'),
  missing_rule: msg('Rules are missing on a guest.'),
  disabled_rule: msg('Somebody disabled a live rule of this policy.'),
  duplicate_rule: msg('A live rule stands there twice.'),
  leftover: msg('Rules are live that nothing wants any more.'),
  order_differs: msg('Live rules stand in the wrong order.'),
  foreign_shadow: msg('A rule made elsewhere stands where it decides before this policy.'),
  nic_flag_off: msg('A network card has its firewall flag off.'),
  guest_firewall_off: msg('The firewall of a guest is off.'),
  cluster_firewall_off: msg('The firewall of the cluster is off: nothing on it is filtered.'),
  default_policy_differs: msg('The default policy of a guest is not to drop, as this policy asks.'),
  node_cannot_compile: msg('The firewall of a node cannot be compiled: old rules are in force there.'),
  enforcement_unknown: msg('Whether the firewall of a guest filters could not be read.'),
  guest_missing: msg('A guest is gone from the cluster.'),
  unreadable: msg('A guest could not be read, so nobody knows what is live there.'),
  unresolved_endpoint: msg('An endpoint stands for nothing and yields no rule.'),
};

/** Why an endpoint stands for nothing. */
export const UNRESOLVED_LABELS: Record<UnresolvedReason, string> = {
  invalid: msg('This is no endpoint'),
  not_found: msg('Nothing has this name'),
  ambiguous: msg('Several things have this name; name one by its id or number, or a network as network:cluster/name'),
  empty: msg('It stands for no workload now'),
  not_a_workload: msg('Rules stand at workloads only, and this is none'),
  template: msg('Only templates, which never run'),
  no_address: msg('No address of it is known'),
};

/** Why a live rule of ours goes. */
export const STALE_RULE_LABELS: Record<StaleRuleReason, string> = {
  outdated_version: msg('Older version'),
  content_differs: msg('Edited on the cluster'),
  disabled: msg('Disabled on the cluster'),
  duplicate: msg('There twice'),
  leftover: msg('No longer wanted'),
  other_vmid: msg('Came with a clone or restore'),
  foreign_instance: msg('Of another installation'),
};
