import type { Condition } from '@/domain/notifications/condition';
import type { NotificationEvent } from '@/domain/notifications/notification';
import type { Tone } from '@/ui/tone';

export const CONDITION_WORDS: Record<Condition, { label: string; meaning: string }> = {
  sync_failed: { label: 'Sync failed', meaning: 'The last sync of a cluster failed.' },
  agent_silent: { label: 'Agent silent', meaning: 'The agent of a node stopped to report.' },
  policy_drifted: {
    label: 'Policy drifted',
    meaning: 'Rules of a policy were changed on a cluster, or do not filter any more.',
  },
  suspicious_traffic_critical: {
    label: 'Critical suspicious traffic',
    meaning: 'Somebody outside all subnets reaches a port such as RDP, SMB or a database.',
  },
  address_conflict: { label: 'Address conflict', meaning: 'Two facts about an address cannot both be right.' },
};

export const EVENT_WORDS: Record<NotificationEvent, { word: string; tone: Tone }> = {
  opened: { word: 'Problem', tone: 'danger' },
  closed: { word: 'Recovery', tone: 'ok' },
  test: { word: 'Test', tone: 'info' },
};
