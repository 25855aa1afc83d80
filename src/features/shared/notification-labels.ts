import type { Condition } from '@/domain/notifications/condition';
import type { NotificationEvent } from '@/domain/notifications/notification';
import { msg } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

export const CONDITION_LABELS: Record<Condition, { label: string; meaning: string }> = {
  sync_failed: { label: msg('Sync failed'), meaning: msg('The last sync of a cluster failed.') },
  agent_silent: { label: msg('Agent silent'), meaning: msg('The agent of a node stopped to report.') },
  agent_reports_refused: {
    label: msg('Agent reports refused'),
    meaning: msg('An agent reported about workloads that are on other nodes.'),
  },
  agent_token_replaced: {
    label: msg('Node token replaced'),
    meaning: msg('Another enrolment replaced the token of a node while its agent reported.'),
  },
  policy_drifted: {
    label: msg('Policy drifted'),
    meaning: msg('Rules of a policy were changed on a cluster, or do not filter any more.'),
  },
  residual_rules: {
    label: msg('Rules left after a move'),
    meaning: msg('A workload moved to another tenant and still has rules of the former one.'),
  },
  node_firewall_not_compiling: {
    label: msg('Node firewall cannot compile'),
    meaning: msg('A stored rule or IP set stops the firewall of a node from updating.'),
  },
  suspicious_traffic_critical: {
    label: msg('Critical suspicious traffic'),
    meaning: msg('Somebody outside all subnets reaches a port such as RDP, SMB or a database.'),
  },
  address_conflict: {
    label: msg('Address conflict'),
    meaning: msg('Two facts about an address cannot both be right.'),
  },
};

export const EVENT_LABELS: Record<NotificationEvent, { word: string; tone: Tone }> = {
  opened: { word: msg('Problem'), tone: 'danger' },
  closed: { word: msg('Recovery'), tone: 'ok' },
  test: { word: msg('Test'), tone: 'info' },
};
