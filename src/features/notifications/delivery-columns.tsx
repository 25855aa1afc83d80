import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';
import { EVENT_WORDS } from '../shared/notification-words';
import { CHANNEL_KIND_WORDS } from './channel-columns';

const make = columnsOf<NotificationDelivery>();

export const DELIVERY_WORDS: Record<NotificationDelivery['status'], { word: string; tone: Tone }> = {
  queued: { word: 'Waiting', tone: 'neutral' },
  sending: { word: 'Sending', tone: 'info' },
  sent: { word: 'Sent', tone: 'ok' },
  failed: { word: 'Failed', tone: 'danger' },
};

/** One that waits after a failure says so. */
function DeliveryState({ status, attempts }: Pick<NotificationDelivery, 'status' | 'attempts'>) {
  if (status === 'queued' && attempts > 0) return <Status tone="warn">Trying again</Status>;
  const { word, tone } = DELIVERY_WORDS[status];
  return (
    <Status tone={tone} pulse={status === 'sending'}>
      {word}
    </Status>
  );
}

export const DELIVERY_COLUMNS = [
  make.time('created_at', 'When', (delivery) => delivery.created_at, { sortable: true, width: 110 }),
  make.custom(
    'event',
    'Event',
    (delivery) => <Badge tone={EVENT_WORDS[delivery.event].tone}>{EVENT_WORDS[delivery.event].word}</Badge>,
    { width: 100, csv: (delivery) => delivery.event },
  ),
  make.text('title', 'Notice', (delivery) => delivery.title, { width: 230, grow: true }),
  make.text('channel_name', 'Channel', (delivery) => delivery.channel_name, { sortable: true, width: 150 }),
  make.custom('status', 'Result', (delivery) => <DeliveryState {...delivery} />, {
    sortable: true,
    width: 120,
    csv: (delivery) => delivery.status,
  }),
  make.text('error', 'Problem', (delivery) => delivery.error, {
    width: 200,
    grow: true,
    render: (delivery) =>
      delivery.error ? (
        <span className={delivery.status === 'sent' ? 'text-warn' : 'text-danger'} title={delivery.error}>
          {delivery.error}
        </span>
      ) : null,
  }),
  make.number('attempts', 'Tries', (delivery) => delivery.attempts, { width: 70 }),
  make.time('next_attempt_at', 'Next try', (delivery) => (delivery.attempts > 0 ? delivery.next_attempt_at : null), {
    width: 110,
  }),
  make.number('response_status', 'Status', (delivery) => delivery.response_status, { width: 80, format: String }),
  make.text('channel_kind', 'Kind', (delivery) => CHANNEL_KIND_WORDS[delivery.channel_kind], {
    hidden: true,
    width: 90,
  }),
  make.text('rule_name', 'Rule', (delivery) => delivery.rule_name, { width: 150 }),
  make.text('tenant_name', 'Tenant', (delivery) => delivery.tenant_name ?? 'Whole installation', {
    hidden: true,
    width: 150,
  }),
];
