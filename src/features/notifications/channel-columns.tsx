import { CHANNEL_KINDS, CHANNEL_TEMPLATES } from '@/domain/choices';
import type { ChannelTemplate, NotificationChannel } from '@/domain/notifications/channel';
import { msg, type Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Status } from '@/ui/status';
import { Missing } from '@/ui/values';

const make = createColumnHelper<NotificationChannel>();

export const CHANNEL_KIND_LABELS = { webhook: msg('Webhook'), email: msg('Email') } as const;

/** The kinds of channels, to choose from. */
export const channelKindOptions = (t: Translate) =>
  CHANNEL_KINDS.map((value) => ({ value, label: t(CHANNEL_KIND_LABELS[value]) }));

export const TEMPLATE_LABELS: Record<ChannelTemplate, { label: string; url: string }> = {
  fabric: { label: msg('Fabric JSON'), url: 'https://' },
  slack: { label: msg('Slack'), url: 'https://hooks.slack.com/services/…' },
  teams: { label: msg('Microsoft Teams (Workflows)'), url: 'https://….api.powerplatform.com/…' },
  pagerduty: { label: msg('PagerDuty (Events v2)'), url: 'https://events.pagerduty.com/v2/enqueue' },
  alertmanager: { label: msg('Alertmanager (v2)'), url: 'https://alertmanager.example.org/api/v2/alerts' },
};

/** The formats of webhooks, to choose from. */
export const templateOptions = (t: Translate) =>
  CHANNEL_TEMPLATES.map((value) => ({ value, label: t(TEMPLATE_LABELS[value].label) }));

/** What a channel is called in a word or two: its receiver where there is a template for it. */
const kindLabel = ({ kind, template }: NotificationChannel): string =>
  kind === 'email' || template === 'fabric' ? CHANNEL_KIND_LABELS[kind] : TEMPLATE_LABELS[template].label;

const target = (channel: NotificationChannel) => channel.url_origin ?? channel.recipients.join(', ');

// A sense keeps words apart that are one in English only.
export const channelColumns = (t: Translate) => [
  make.text('name', t('Name'), (channel) => channel.name, { sortable: true, width: 170, grow: true }),
  make.custom(
    'enabled',
    t('State'),
    (channel) => (channel.enabled ? <Status tone="ok">{t('On')}</Status> : <Status tone="off">{t('Off')}</Status>),
    { width: 80, csv: (channel) => (channel.enabled ? t('On') : t('Off')) },
  ),
  make.text('kind', t('Kind'), (channel) => t(kindLabel(channel)), { sortable: true, width: 90 }),
  make.text('target', t('{sense, select, other {To}}', { sense: 'receiver' }), target, { width: 230, grow: true }),
  make.custom(
    'last_delivery_status',
    t('Last delivery'),
    (channel) =>
      channel.last_delivery_status === null ? (
        <Missing />
      ) : channel.last_delivery_status === 'sent' ? (
        <Status tone="ok">{t('Sent')}</Status>
      ) : (
        <Status tone="danger">{t('Failed')}</Status>
      ),
    { width: 120, csv: (channel) => channel.last_delivery_status },
  ),
  make.time('last_delivery_at', t('Delivery time'), (channel) => channel.last_delivery_at, { none: t('Never') }),
  make.time('previous_secret_until', t('Old secret expires'), (channel) => channel.previous_secret_until, {
    hidden: true,
  }),
  make.number('rules_total', t('Rules'), (channel) => channel.rules_total),
  make.text('tenant_name', t('Tenant'), (channel) => channel.tenant_name ?? t('Whole installation'), { width: 150 }),
  make.time('updated_at', t('Changed'), (channel) => channel.updated_at, { sortable: true, hidden: true }),
  make.time('created_at', t('Created'), (channel) => channel.created_at, { sortable: true, hidden: true }),
];
