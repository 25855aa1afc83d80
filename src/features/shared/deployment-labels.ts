import type { StaleRuleReason } from '@/domain/policy/compare-rules';
import type { DeploymentReason, ShownStatus } from '@/domain/policy/status';
import { msg } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

export const STATUS_LABELS: Record<ShownStatus, { tone: Tone; word: string; meaning: string }> = {
  active: {
    tone: 'ok',
    word: msg('In sync'),
    meaning: msg('All desired rules are live, and the firewall enforces them.'),
  },
  pending: {
    tone: 'neutral',
    word: msg('Pending'),
    meaning: msg('The rules or their order are not applied yet. Apply the policy to write them.'),
  },
  partial: { tone: 'warn', word: msg('Partial'), meaning: msg('Some rules are live and enforced, others are not.') },
  stale: {
    tone: 'danger',
    word: msg('Drifted'),
    meaning: msg('Live rules differ from the desired rules. Apply the policy to fix this.'),
  },
  unresolved: {
    tone: 'danger',
    word: msg('Unresolved'),
    meaning: msg('The endpoints of the policy resolve to nothing, so there are no rules.'),
  },
  none: {
    tone: 'off',
    word: msg('Not deployed'),
    meaning: msg('The policy has no desired rules and no live rules.'),
  },
};

/** Why a policy is not simply active, as a sentence that says where to look. */
export const REASON_LABELS: Record<DeploymentReason, string> = {
  never_applied: msg('The policy was never applied here.'),
  guest_pending: msg('A workload is pending until the next apply.'),
  order_pending: msg('Live rules are not in the required order. Apply the policy to fix this.'),
  version_behind: msg('Live rules are from an older version of the policy.'),
  content_differs: msg('A live rule of this policy was edited on the cluster.'),
  set_differs: msg('An IP set on a workload differs from the applied one.'),
  missing_rule: msg('Rules are missing on a workload.'),
  disabled_rule: msg('A live rule of this policy was disabled on the cluster.'),
  duplicate_rule: msg('A live rule exists twice.'),
  leftover: msg('Some live rules are no longer required.'),
  order_differs: msg('Live rules are in the wrong order.'),
  foreign_shadow: msg('An unmanaged rule is evaluated before this policy and can override it.'),
  nic_flag_off: msg('The firewall flag of an interface is off.'),
  guest_firewall_off: msg('The guest firewall of a workload is off.'),
  cluster_firewall_off: msg('The cluster firewall is off, so no traffic on the cluster is filtered.'),
  default_policy_differs: msg('The default policy of a workload is not to drop, which this policy requires.'),
  node_cannot_compile: msg('The firewall of a node cannot be compiled, so the node still enforces old rules.'),
  enforcement_unknown: msg('Whether the firewall of a workload filters could not be read.'),
  guest_missing: msg('A workload no longer exists on the cluster.'),
  unreadable: msg('A workload could not be read, so its live rules are unknown.'),
  unresolved_endpoint: msg('An endpoint resolves to nothing, so it produces no rules.'),
};

/** Why a live managed rule is removed. */
export const STALE_RULE_LABELS: Record<StaleRuleReason, string> = {
  outdated_version: msg('Older version'),
  content_differs: msg('Edited on the cluster'),
  disabled: msg('Disabled on the cluster'),
  duplicate: msg('Duplicate'),
  leftover: msg('No longer required'),
  other_vmid: msg('Copied by clone or restore'),
  foreign_instance: msg('From another Fabric installation'),
};
