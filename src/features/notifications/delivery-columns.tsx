import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Status, type Tone } from '@/ui/status';
import { EVENT_LABELS } from '../shared/notification-labels';
import { CHANNEL_KIND_LABELS } from './channel-columns';

const make = createColumnHelper<NotificationDelivery>();

export const DELIVERY_LABELS: Record<NotificationDelivery['status'], { word: string; tone: Tone }> = {
  queued: { word: msg('Waiting'), tone: 'neutral' },
  sending: { word: msg('Sending'), tone: 'info' },
  sent: { word: msg('Sent'), tone: 'ok' },
  failed: { word: msg('Failed'), tone: 'danger' },
};

/** One that waits after a failure says so. */
function DeliveryState({ status, attempts }: Pick<NotificationDelivery, 'status' | 'attempts'>) {
  const t = useT();
  if (status === 'queued' && attempts > 0) return <Status tone="warn">{t('Retrying')}</Status>;
  const { word, tone } = DELIVERY_LABELS[status];
  return (
    <Status tone={tone} pulse={status === 'sending'}>
      {t(word)}
    </Status>
  );
}

export const deliveryColumns = (t: Translate) => [
  make.time('created_at', t('Created'), (delivery) => delivery.created_at, { sortable: true }),
  make.custom(
    'event',
    t('Event'),
    (delivery) => <Badge tone={EVENT_LABELS[delivery.event].tone}>{t(EVENT_LABELS[delivery.event].word)}</Badge>,
    { width: 120, csv: (delivery) => delivery.event },
  ),
  make.text('title', t('Notification'), (delivery) => delivery.title, { width: 230, grow: true }),
  make.text('channel_name', t('Channel'), (delivery) => delivery.channel_name, { sortable: true, width: 130 }),
  make.custom('status', t('Result'), (delivery) => <DeliveryState {...delivery} />, {
    sortable: true,
    width: 120,
    csv: (delivery) => delivery.status,
  }),
  make.text('error', t('Problem'), (delivery) => delivery.error, {
    width: 200,
    grow: true,
    render: (delivery) =>
      delivery.error ? (
        <span className={delivery.status === 'sent' ? 'text-warn' : 'text-danger'}>{delivery.error}</span>
      ) : null,
  }),
  make.number('attempts', t('Attempts'), (delivery) => delivery.attempts),
  make.time(
    'next_attempt_at',
    t('Next attempt'),
    (delivery) => (delivery.attempts > 0 ? delivery.next_attempt_at : null),
    { hidden: true },
  ),
  make.number('response_status', t('Status'), (delivery) => delivery.response_status, { format: String }),
  make.text('channel_kind', t('Kind'), (delivery) => t(CHANNEL_KIND_LABELS[delivery.channel_kind]), {
    hidden: true,
    width: 90,
  }),
  make.text('rule_name', t('Rule'), (delivery) => delivery.rule_name, { hidden: true, width: 150 }),
  make.text('tenant_name', t('Tenant'), (delivery) => delivery.tenant_name ?? t('Whole installation'), {
    hidden: true,
    width: 150,
  }),
];
