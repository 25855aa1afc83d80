import type { Condition } from '@/domain/notifications/condition';
import type { NotificationEvent } from '@/domain/notifications/notification';
import { msg } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

export const CONDITION_LABELS: Record<Condition, { label: string; meaning: string }> = {
  sync_failed: { label: msg('Sync failed'), meaning: msg('The last sync of a cluster failed.') },
  agent_silent: { label: msg('Agent stale'), meaning: msg('The agent of a node stopped reporting.') },
  agent_reports_refused: {
    label: msg('Agent reports refused'),
    meaning: msg('An agent sent reports for workloads on other nodes.'),
  },
  agent_token_replaced: {
    label: msg('Node token replaced'),
    meaning: msg('Another enrollment replaced the token of a node while its agent was reporting.'),
  },
  policy_drifted: {
    label: msg('Policy drifted'),
    meaning: msg('Rules of a policy were changed on a cluster or no longer filter traffic.'),
  },
  policy_expiring: {
    label: msg('Policy expires'),
    meaning: msg('A policy or one of its rules expires within 7 days, or has expired.'),
  },
  recertification_due: {
    label: msg('Recertification due'),
    meaning: msg('A policy was not confirmed in the period that its tenant requires.'),
  },
  policy_test_failing: {
    label: msg('Policy test fails'),
    meaning: msg('A policy test fails on the live rules.'),
  },
  change_in_review: {
    label: msg('Change waits for approval'),
    meaning: msg('A change was submitted and lacks approvals.'),
  },
  change_break_glass: {
    label: msg('Change applied without approval'),
    meaning: msg('In the last day a change was applied without the approvals that it required.'),
  },
  change_rollback_incomplete: {
    label: msg('Rollback incomplete'),
    meaning: msg(
      'The rollback of a change waits for a workload that cannot be written, or left something in the last day.',
    ),
  },
  residual_rules: {
    label: msg('Rules left after a move'),
    meaning: msg('A workload moved to another tenant but still has rules of its former tenant.'),
  },
  node_firewall_not_compiling: {
    label: msg('Node firewall not compiling'),
    meaning: msg('A stored rule or IP set prevents the firewall of a node from updating.'),
  },
  suspicious_traffic_critical: {
    label: msg('Critical suspicious traffic'),
    meaning: msg('A source outside all known prefixes reaches a port such as RDP, SMB or a database.'),
  },
  traffic_escaped: {
    label: msg('Escaped traffic'),
    meaning: msg('Conversations passed although the rules that were live then deny them.'),
  },
  address_conflict: {
    label: msg('Address conflict'),
    meaning: msg('Fabric has contradictory data about an address.'),
  },
  workload_traffic_high: {
    label: msg('Workload traffic above threshold'),
    meaning: msg('Average of ten minutes, both directions.'),
  },
  cluster_traffic_high: {
    label: msg('Cluster traffic above threshold'),
    meaning: msg('Average of ten minutes over all workloads of a cluster.'),
  },
  drops_high: {
    label: msg('Drops above threshold'),
    meaning: msg('Dropped and rejected connections of a workload, average of ten minutes.'),
  },
  new_external_service: {
    label: msg('New service reached from outside'),
    meaning: msg(
      'A service of a workload is reached from outside all known prefixes for the first time in seven days.',
    ),
  },
  coverage_low: {
    label: msg('Coverage below threshold'),
    meaning: msg('Share of running workloads that deny by default.'),
  },
};

export const EVENT_LABELS: Record<NotificationEvent, { word: string; tone: Tone }> = {
  opened: { word: msg('Problem'), tone: 'danger' },
  closed: { word: msg('Recovery'), tone: 'ok' },
  test: { word: msg('Test'), tone: 'info' },
};
