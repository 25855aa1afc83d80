import type { CHANNEL_KINDS } from '@/domain/choices';
import { splitList } from '@/domain/net/port-range';
import type { ChannelTemplate, NotificationChannel } from '@/domain/notifications/channel';
import { toTenantId } from '../shared/tenant-options';

/** The form of a channel; addresses are typed as one text, separated by commas, spaces or lines. */
export type ChannelValues = {
  name: string;
  kind: (typeof CHANNEL_KINDS)[number];
  /** Null while there is nothing to choose. */
  tenant_id: string | null;
  template: ChannelTemplate;
  url: string;
  /** The integration key of PagerDuty; empty: the stored one. */
  routing_key: string;
  /** Null: that of the installation. */
  time_zone: string | null;
  recipients: string;
  enabled: boolean;
};

export const EMPTY_CHANNEL: ChannelValues = {
  name: '',
  kind: 'webhook',
  tenant_id: null,
  template: 'fabric',
  url: '',
  routing_key: '',
  time_zone: null,
  recipients: '',
  enabled: true,
};

/** The URL is not shown again: an empty field leaves it unchanged. */
export const toChannelValues = ({
  name,
  kind,
  template,
  time_zone,
  recipients,
  enabled,
}: NotificationChannel): ChannelValues => ({
  ...EMPTY_CHANNEL,
  name,
  kind,
  template,
  time_zone,
  recipients: recipients.join('\n'),
  enabled,
});

const toRoutingKey = ({ template, routing_key }: ChannelValues) =>
  template === 'pagerduty' && routing_key.trim() !== '' ? { routing_key } : {};

/** What creates a channel. */
export function toChannelInput(values: ChannelValues): object {
  const { name, kind, tenant_id, url, template, recipients, time_zone, enabled } = values;
  const target =
    kind === 'webhook' ? { url, template, ...toRoutingKey(values) } : { recipients: splitList(recipients) };
  return { name, kind, enabled, time_zone, ...target, ...toTenantId(tenant_id) };
}

/** What changes a channel, with the version it was read at. */
export function toChannelUpdate(values: ChannelValues, { version }: { version: number }): object {
  const { name, kind, url, template, recipients, time_zone, enabled } = values;
  const webhook = { template, ...(url.trim() !== '' && { url }), ...toRoutingKey(values) };
  const target = kind === 'webhook' ? webhook : { recipients: splitList(recipients) };
  return { name, enabled, time_zone, version, ...target };
}

/** The message about one address is shown at the field for all of them. */
export const channelFieldName = (field: string): string => (field.startsWith('recipients.') ? 'recipients' : field);
