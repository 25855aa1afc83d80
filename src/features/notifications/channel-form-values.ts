import type { CHANNEL_KINDS, NotificationChannel } from '@/domain/notifications/channel';
import { toTenantId } from '../shared/tenant-options';

/** The form of a channel; addresses are typed as one text, separated by commas, spaces or lines. */
export type ChannelValues = {
  name: string;
  kind: (typeof CHANNEL_KINDS)[number];
  /** Null while there is nothing to choose. */
  tenant_id: string | null;
  url: string;
  recipients: string;
  enabled: boolean;
};

export const EMPTY_CHANNEL: ChannelValues = {
  name: '',
  kind: 'webhook',
  tenant_id: null,
  url: '',
  recipients: '',
  enabled: true,
};

/** The URL is not told again: an empty box leaves it as it is. */
export const toChannelValues = ({ name, kind, recipients, enabled }: NotificationChannel): ChannelValues => ({
  ...EMPTY_CHANNEL,
  name,
  kind,
  recipients: recipients.join('\n'),
  enabled,
});

const addressesOf = (text: string) => text.split(/[\s,;]+/).filter((address) => address !== '');

/** What creates a channel. */
export function toChannelInput({ name, kind, tenant_id, url, recipients, enabled }: ChannelValues): object {
  const target = kind === 'webhook' ? { url } : { recipients: addressesOf(recipients) };
  return { name, kind, enabled, ...target, ...toTenantId(tenant_id) };
}

/** What changes a channel, with the version it was read at. */
export function toChannelUpdate(
  { name, kind, url, recipients, enabled }: ChannelValues,
  { version }: { version: number },
): object {
  const webhook = url.trim() === '' ? {} : { url };
  return { name, enabled, version, ...(kind === 'webhook' ? webhook : { recipients: addressesOf(recipients) }) };
}

/** The message about one address stands at the box of all. */
export const channelFieldName = (field: string): string => (field.startsWith('recipients.') ? 'recipients' : field);
