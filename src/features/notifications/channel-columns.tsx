import type { NotificationChannel } from '@/domain/notifications/channel';
import { columnsOf } from '@/ui/columns';
import { Missing } from '@/ui/missing';
import { Status } from '@/ui/status';

const make = columnsOf<NotificationChannel>();

export const CHANNEL_KIND_WORDS = { webhook: 'Webhook', email: 'E-mail' } as const;

const target = (channel: NotificationChannel) => channel.url_origin ?? channel.recipients.join(', ');

export const CHANNEL_COLUMNS = [
  make.text('name', 'Name', (channel) => channel.name, { sortable: true, width: 170, grow: true }),
  make.custom(
    'enabled',
    'State',
    (channel) => (channel.enabled ? <Status tone="ok">On</Status> : <Status tone="off">Off</Status>),
    { width: 80, csv: (channel) => (channel.enabled ? 'On' : 'Off') },
  ),
  make.text('kind', 'Kind', (channel) => CHANNEL_KIND_WORDS[channel.kind], { sortable: true, width: 90 }),
  make.text('target', 'To', target, { width: 230, grow: true }),
  make.custom(
    'last_delivery_status',
    'Last delivery',
    (channel) =>
      channel.last_delivery_status === null ? (
        <Missing />
      ) : channel.last_delivery_status === 'sent' ? (
        <Status tone="ok">Sent</Status>
      ) : (
        <Status tone="danger">Failed</Status>
      ),
    { width: 120, csv: (channel) => channel.last_delivery_status },
  ),
  make.time('last_delivery_at', 'At', (channel) => channel.last_delivery_at, { width: 110, none: 'Never' }),
  make.number('rules_total', 'Rules', (channel) => channel.rules_total, { width: 80 }),
  make.text('tenant_name', 'Tenant', (channel) => channel.tenant_name ?? 'Whole installation', { width: 150 }),
  make.time('updated_at', 'Changed', (channel) => channel.updated_at, { sortable: true, hidden: true, width: 110 }),
  make.time('created_at', 'Created', (channel) => channel.created_at, { sortable: true, hidden: true, width: 110 }),
];
